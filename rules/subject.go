package rules

import (
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// subject is a dependency or a chain, as the rules see it.
type subject struct {
	name     string
	identity string
	known    bool    // the data can be judged in this cycle
	labels   Finding // with the names set

	// ask puts the rule to the subject, and says why an undecided answer is one.
	// It returns false for rules about the other kind of subject.
	ask func(r Rule, past Remembered, o Options) (answer judgement, hold Hold, asked bool)
}

func dependency(a *audit.Assessment) subject {
	d := a.Dependency
	return subject{
		name: d.Name, identity: a.Subject(), known: a.Judgeable(),
		labels: Finding{Dependency: d.Name, Caller: d.Caller, Callee: d.Callee, Owner: d.Owner},
		ask: func(r Rule, past Remembered, o Options) (judgement, Hold, bool) {
			switch {
			case r.Code == VerdictUnknown:
				return judgeVerdictUnknown(a, past, o), NotHeld, true
			case r.judge == nil, (a.Entry == nil) == (r.Code == dependencyLimitReached):
				return judgement{}, NotHeld, false
			case r.policyOnly:
				return r.judge(a, r.Threshold), NotHeld, true
			case !a.Judgeable():
				return undecided, HeldUnknown, true
			case a.FalseTimeout == nil:
				return undecided, HeldUncertain, true
			}
			return r.judge(a, r.Threshold), HeldUncertain, true
		},
	}
}

func chain(c audit.ChainAssessment) subject {
	return subject{
		name: c.Chain.Name, identity: c.Subject(), known: len(c.Unknown) == 0,
		labels: Finding{Chain: c.Chain.Name, Caller: c.Chain.Caller, Owner: c.Chain.Owner},
		ask: func(r Rule, _ Remembered, _ Options) (judgement, Hold, bool) {
			switch {
			case r.judgeChain == nil:
				return judgement{}, NotHeld, false
			case len(c.Unknown) > 0:
				return r.judgeChain(c, r.Threshold), HeldUnknown, true
			}
			return r.judgeChain(c, r.Threshold), HeldUncertain, true
		},
	}
}

// judge applies every rule to the subject in the light of its past.
func (s subject) judge(table []Rule, memory map[string]Remembered, o Options) Remembered {
	past := s.recall(memory, o.Now)
	present := Remembered{KnownAt: past.KnownAt, Identity: past.Identity}
	if s.known {
		present.KnownAt = o.Now
	}
	for _, rule := range table {
		if finding, stands := s.apply(rule, past, o); stands {
			present.Findings = append(present.Findings, finding)
		}
	}
	slices.SortStableFunc(present.Findings, func(x, y Finding) int { return y.Severity.Compare(x.Severity) })
	return present
}

func (s subject) recall(memory map[string]Remembered, now time.Time) Remembered {
	past, seen := memory[s.name]
	if !seen {
		past.KnownAt = now
	}
	if past.Identity != s.identity {
		past.Identity, past.Findings = s.identity, nil
	}
	return past
}

// of returns the finding of a rule that stood.
func (r Remembered) of(rule Rule) (Finding, bool) {
	for _, f := range r.Findings {
		if f.Rule == rule.Code {
			return f, true
		}
	}
	return Finding{}, false
}

func (s subject) apply(r Rule, past Remembered, o Options) (Finding, bool) {
	answer, hold, asked := s.ask(r, past, o)
	if !asked || answer.verdict == latency.VerdictBelow {
		return Finding{}, false
	}
	before, stood := past.of(r)
	finding := s.labels
	finding.Rule, finding.Severity = r.Code, r.Severity
	finding.Since, finding.Decided = o.Now, o.Now
	if stood {
		finding.Since = before.Since
	}
	if r.WorsensAfter > 0 && o.Now.Sub(finding.Since) >= r.WorsensAfter && !finding.Severity.AtLeast(Warning) {
		finding.Severity = Warning
	}
	if answer.verdict == latency.VerdictAbove {
		finding.Message, finding.Advice = answer.message, answer.advice
		return finding, true
	}
	if !stood || hold == HeldUnknown && o.Now.Sub(past.KnownAt) > o.HoldFor {
		return Finding{}, false
	}
	finding.Decided, finding.Held = before.Decided, hold
	finding.Message, finding.Advice = before.Message, before.Advice
	return finding, true
}

// judgeDependencyLimit is undecided while the search for dependencies fails.
func judgeDependencyLimit(a *audit.Assessment, _ float64) judgement {
	switch e := a.Entry; {
	case !a.Known():
		return undecided
	case e.Found <= e.Limit:
		return clear
	default:
		return found(fmt.Sprintf("%d dependencies were found and %d are audited: the other %d are not", e.Found, e.Limit, e.Found-e.Limit),
			"raise max_dependencies, or narrow latency.selector")
	}
}

func judgeVerdictUnknown(a *audit.Assessment, past Remembered, o Options) judgement {
	if a.Judgeable() || o.Now.Sub(past.KnownAt) <= o.HoldFor {
		return clear
	}
	return found(fmt.Sprintf("nothing is known since %s, longer than hold_for (%s): %s",
		past.KnownAt.UTC().Format(time.RFC3339), model.Duration(o.HoldFor), a.Detail),
		"run timeout-auditor check-config --online FILE to see which query returns nothing")
}
