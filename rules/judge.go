package rules

import (
	"slices"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
)

// Options are what Judge needs beside the assessments.
type Options struct {
	Now       time.Time
	HoldFor   time.Duration          // how long unknown input holds a finding
	Overrides map[string]config.Rule // by rule code
}

// Subjects are what is judged.
type Subjects struct {
	Dependencies []*audit.Assessment
	Chains       []audit.ChainAssessment
}

// Memory is what one cycle must know of those before it, by name.
type Memory struct {
	Dependencies, Chains map[string]Remembered
}

// Remembered is the past of one dependency or chain.
type Remembered struct {
	KnownAt  time.Time // when it was last observed, or else first asked for
	Identity string    // what was judged: a new policy forgets old verdicts
	Findings []Finding // those that stood, at most one of each rule
}

// Judge applies every rule to every subject and returns what holds, by subject
// and worst first. A verdict that the data do not decide holds the last one;
// unknown input holds it for HoldFor and then becomes a verdict-unknown
// finding. The returned memory is the next cycle's.
func Judge(s Subjects, memory Memory, o Options) ([]Finding, Memory) {
	table := Effective(o.Overrides)
	next := Memory{Dependencies: make(map[string]Remembered, len(s.Dependencies)), Chains: make(map[string]Remembered, len(s.Chains))}
	found := make([][]Finding, 0, len(s.Dependencies)+len(s.Chains))
	for _, a := range s.Dependencies {
		present := dependency(a).judge(table, memory.Dependencies, o)
		next.Dependencies[a.Dependency.Name] = present
		found = append(found, present.Findings)
	}
	for _, c := range s.Chains {
		present := chain(c).judge(table, memory.Chains, o)
		next.Chains[c.Chain.Name] = present
		found = append(found, present.Findings)
	}
	return slices.Concat(found...), next
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
