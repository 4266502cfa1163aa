package rules

import (
	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// judgement is what one rule says of one assessment.
type judgement struct {
	verdict latency.Verdict // above: the rule holds; below: it does not; uncertain: not decided
	message string
	advice  string
}

var (
	clear     = judgement{verdict: latency.VerdictBelow}
	undecided = judgement{verdict: latency.VerdictUncertain}
)

// judge is the function of a rule. threshold is the rule's own, in the unit of
// what it compares. Rules about the policy alone decide without any data.
type judge func(a *audit.Assessment, threshold float64) judgement

// judgeChain is the function of a rule about chains.
type judgeChain func(c audit.ChainAssessment, threshold float64) judgement

// found is a judgement that holds.
func found(message, advice string) judgement {
	return judgement{verdict: latency.VerdictAbove, message: message, advice: advice}
}

// compared turns a comparison by the counts into a judgement. Words are found
// only for what holds: advice asks what other timeouts would do, which costs as
// much as the whole assessment.
func compared(v latency.Verdict, words func() (message, advice string)) judgement {
	if v != latency.VerdictAbove {
		return judgement{verdict: v}
	}
	message, advice := words()
	return found(message, advice)
}
