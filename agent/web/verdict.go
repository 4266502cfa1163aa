package web

import (
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// verdict is the one word on a dependency or a chain. A finding comes first,
// then what is not known: only what was judged and found in order is fine.
type verdict string

const (
	verdictCritical  verdict = "critical"
	verdictWarning   verdict = "warning"
	verdictUnknown   verdict = "unknown"   // nothing was observed
	verdictUndecided verdict = "undecided" // the data do not decide
	verdictInfo      verdict = "info"
	verdictFine      verdict = "fine"
)

// verdicts lists every verdict, worst first.
func verdicts() []verdict {
	return []verdict{verdictCritical, verdictWarning, verdictUnknown, verdictUndecided, verdictInfo, verdictFine}
}

// verdictOf sums up findings, worst first, and the data behind them.
func verdictOf(findings []rules.Finding, status latency.Status) verdict {
	worst := verdictFine
	if len(findings) > 0 {
		worst = verdict(findings[0].Severity)
	}
	switch {
	case worst == verdictCritical || worst == verdictWarning:
		return worst
	case !status.Known():
		return verdictUnknown
	case status != latency.StatusOK:
		return verdictUndecided
	}
	return worst
}

// chainVerdict is the same of a chain, which is unknown while a hop is.
func chainVerdict(findings []rules.Finding, unknownHops int) verdict {
	status := latency.StatusOK
	if unknownHops > 0 {
		status = latency.StatusNoData
	}
	return verdictOf(findings, status)
}

// Sentence says what a verdict without a finding means.
func (v verdict) Sentence() string {
	switch v {
	case verdictUnknown:
		return "Nothing is known about it now. That is not a good sign and not a bad one."
	case verdictUndecided:
		return "The data do not decide whether the timeout is above or below p99."
	case verdictFine:
		return "The data show nothing wrong with its timeout, retries and deadline."
	}
	return ""
}
