package main

import (
	"fmt"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// finding is a finding with the dependency it is about.
type finding struct {
	dependency string
	report.FindingDocument
}

// key tells findings apart. One that is held because nothing newer is known is
// another one than before, since a person wants to hear of that.
func (f finding) key() string {
	return fmt.Sprintln(f.dependency, f.Rule, f.Severity, f.Held == rules.HeldUnknown)
}

func findingsOf(d report.Document) []finding {
	var all []finding
	for _, dependency := range d.Dependencies {
		for _, f := range dependency.Findings {
			all = append(all, finding{dependency.Dependency, f})
		}
	}
	return all
}

// changes says in a line each which findings are new and which are gone.
func changes(before, now []finding) []string {
	var lines []string
	for _, f := range now {
		switch {
		case contains(before, f):
		case f.Held == rules.HeldUnknown:
			lines = append(lines, fmt.Sprintf("held: %s %s %s: nothing newer is known", f.dependency, f.Severity, f.Rule))
		default:
			lines = append(lines, fmt.Sprintf("new:  %s %s %s: %s", f.dependency, f.Severity, f.Rule, f.Message))
		}
	}
	for _, f := range before {
		stands := slices.ContainsFunc(now, func(g finding) bool { return g.dependency == f.dependency && g.Rule == f.Rule })
		if !stands {
			lines = append(lines, fmt.Sprintf("gone: %s %s %s", f.dependency, f.Severity, f.Rule))
		}
	}
	return lines
}

func contains(all []finding, f finding) bool {
	return slices.ContainsFunc(all, func(g finding) bool { return g.key() == f.key() })
}
