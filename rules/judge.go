package rules

import (
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Options are what Judge needs beside the assessments.
type Options struct {
	Now       time.Time
	HoldFor   time.Duration          // how long unknown input holds a finding
	Overrides map[string]config.Rule // by rule code
}

// Memory is what one cycle must know of those before it, by dependency name.
type Memory map[string]Remembered

// Remembered is the past of one dependency.
type Remembered struct {
	KnownAt  time.Time          // when it was last observed, or else first asked for
	Subject  string             // what was judged: a new policy forgets old verdicts
	Findings map[string]Finding // those that stood, by rule code
}

// Judge applies every rule to every assessment and returns what holds, by
// dependency and worst first. A verdict that the data do not
// decide holds the last one; unknown input holds it for HoldFor and then
// becomes a verdict-unknown finding. The returned memory is the next cycle's.
func Judge(assessments []audit.Assessment, memory Memory, o Options) ([]Finding, Memory) {
	var findings []Finding
	next := make(Memory, len(assessments))
	table := Effective(o.Overrides)
	for _, a := range assessments {
		past := recall(memory, a, o.Now)
		present := Remembered{KnownAt: past.KnownAt, Subject: past.Subject, Findings: map[string]Finding{}}
		if a.Judgeable() {
			present.KnownAt = o.Now
		}
		first := len(findings)
		for _, rule := range table {
			if finding, stands := rule.apply(a, past, o); stands {
				findings = append(findings, finding)
				present.Findings[rule.Code] = finding
			}
		}
		slices.SortStableFunc(findings[first:], func(x, y Finding) int { return y.Severity.Compare(x.Severity) })
		next[a.Dependency.Name] = present
	}
	return findings, next
}

// Effective is the table with a file's overrides applied, without the rules
// that are off.
func Effective(overrides map[string]config.Rule) []Rule {
	var table []Rule
	for _, rule := range Table() {
		override := overrides[rule.Code]
		if override.Severity != "" {
			rule.Severity = Severity(override.Severity)
		}
		if override.Threshold != nil {
			rule.Threshold = *override.Threshold
		}
		if override.For != nil {
			rule.For = *override.For
		}
		if rule.Severity != Off {
			table = append(table, rule)
		}
	}
	return table
}

func recall(memory Memory, a audit.Assessment, now time.Time) Remembered {
	past, seen := memory[a.Dependency.Name]
	if !seen {
		past.KnownAt = now
	}
	if subject := a.Subject(); past.Subject != subject {
		past.Subject, past.Findings = subject, nil
	}
	return past
}

// apply judges one assessment by one rule, in the light of the past.
func (r Rule) apply(a audit.Assessment, past Remembered, o Options) (Finding, bool) {
	before, stood := past.Findings[r.Code]
	finding := Finding{
		Rule: r.Code, Severity: r.Severity,
		Dependency: a.Dependency.Name, Caller: a.Dependency.Caller, Callee: a.Dependency.Callee, Owner: a.Dependency.Owner,
		Since: o.Now, Decided: o.Now,
	}
	if stood {
		finding.Since = before.Since
	}
	if r.WorsensAfter > 0 && o.Now.Sub(finding.Since) >= r.WorsensAfter && !finding.Severity.AtLeast(Warning) {
		finding.Severity = Warning
	}
	verdict, hold := r.verdict(a, past, o)
	switch verdict.verdict {
	case latency.VerdictAbove:
		finding.Message, finding.Advice = verdict.message, verdict.advice
		return finding, true
	case latency.VerdictBelow:
		return Finding{}, false
	}
	if !stood || hold == HeldUnknown && o.Now.Sub(past.KnownAt) > o.HoldFor {
		return Finding{}, false
	}
	finding.Decided, finding.Held = before.Decided, hold
	finding.Message, finding.Advice = before.Message, before.Advice
	return finding, true
}

// verdict asks the rule, or says why it cannot be asked.
func (r Rule) verdict(a audit.Assessment, past Remembered, o Options) (judgement, Hold) {
	switch {
	case r.Code == VerdictUnknown:
		return judgeVerdictUnknown(a, past, o), NotHeld
	case r.policyOnly:
		return r.judge(a, r.Threshold), NotHeld
	case !a.Judgeable():
		return undecided, HeldUnknown
	case a.FalseTimeout == nil:
		return undecided, HeldUncertain
	}
	return r.judge(a, r.Threshold), HeldUncertain
}

func judgeVerdictUnknown(a audit.Assessment, past Remembered, o Options) judgement {
	if a.Judgeable() || o.Now.Sub(past.KnownAt) <= o.HoldFor {
		return clear
	}
	return found(fmt.Sprintf("nothing is known since %s, longer than hold_for (%s): %s",
		past.KnownAt.UTC().Format(time.RFC3339), model.Duration(o.HoldFor), a.Detail),
		"run timeout-auditor check-config --online FILE to see which query returns nothing")
}
