package report

import (
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// Report is one cycle. Treat it as read-only: it is shared.
type Report struct {
	At           time.Time     // the moment the cycle asked about
	Duration     time.Duration // how long it took
	StaleAfter   time.Duration
	Detail       bool // metrics.detail
	Dependencies []Dependency
	Chains       []Chain
	Findings     []rules.Finding // all of them, dependencies before chains, in the configuration's order
	Memory       rules.Memory    // for the next cycle
}

// Dependency is one dependency's place in the report.
type Dependency struct {
	*audit.Assessment
	Findings []rules.Finding

	// LastGood is the newest assessment with an observation behind it, from an
	// earlier cycle. Nil when the present one is known or nothing ever was.
	LastGood *audit.Assessment
}

// Chain is one chain's place in the report.
type Chain struct {
	audit.ChainAssessment
	Findings []rules.Finding
}

// Cycle is what one cycle produced.
type Cycle struct {
	At          time.Time
	Duration    time.Duration
	StaleAfter  time.Duration
	Detail      bool
	Assessments []*audit.Assessment
	Chains      []audit.ChainAssessment
	Findings    []rules.Finding
	Memory      rules.Memory
}

// Build makes the report of a cycle. previous may be nil.
func Build(c Cycle, previous *Report) *Report {
	findings := bySubject(c.Findings)
	r := Report{
		At: c.At, Duration: c.Duration, StaleAfter: c.StaleAfter, Detail: c.Detail, Findings: c.Findings, Memory: c.Memory,
		Dependencies: make([]Dependency, 0, len(c.Assessments)),
	}
	past := previous.newestGood()
	for _, a := range c.Assessments {
		d := Dependency{Assessment: a, Findings: findings[subject{dependency: a.Dependency.Name}]}
		if good := past[a.Dependency.Name]; !a.Known() && good != nil && good.Subject() == a.Subject() {
			d.LastGood = good
		}
		r.Dependencies = append(r.Dependencies, d)
	}
	for _, chain := range c.Chains {
		r.Chains = append(r.Chains, Chain{ChainAssessment: chain, Findings: findings[subject{chain: chain.Chain.Name}]})
	}
	return &r
}

// subject is what a finding is about: one or the other.
type subject struct{ dependency, chain string }

// bySubject cuts findings into those of each subject, which stand together.
func bySubject(findings []rules.Finding) map[subject][]rules.Finding {
	found := map[subject][]rules.Finding{}
	of := func(f rules.Finding) subject {
		if f.Chain != "" {
			return subject{chain: f.Chain}
		}
		return subject{dependency: f.Dependency}
	}
	for len(findings) > 0 {
		s, n := of(findings[0]), 1
		for n < len(findings) && of(findings[n]) == s {
			n++
		}
		found[s], findings = findings[:n:n], findings[n:]
	}
	return found
}

// newestGood holds, by name, the last assessment with an observation behind it.
func (r *Report) newestGood() map[string]*audit.Assessment {
	good := map[string]*audit.Assessment{}
	if r == nil {
		return good
	}
	for _, d := range r.Dependencies {
		if good[d.Dependency.Name] = d.LastGood; d.Known() {
			good[d.Dependency.Name] = d.Assessment
		}
	}
	return good
}

// Figures returns the assessment whose figures may be shown at now: the present
// one, or the last good one while it is younger than StaleAfter. Nil: show none.
func (r *Report) Figures(d Dependency, now time.Time) *audit.Assessment {
	figures := d.Assessment
	if !d.Known() {
		figures = d.LastGood
	}
	if figures == nil || now.Sub(figures.At) > r.StaleAfter {
		return nil
	}
	return figures
}

// Result sums up a cycle.
type Result string

const (
	Success Result = "success" // every dependency was answered for
	Partial Result = "partial" // the queries of some failed
	Failure Result = "failure" // the queries of all failed
)

// Results lists every result of a cycle.
func Results() []Result { return []Result{Success, Partial, Failure} }

// Result says how the cycle went. No data is an answer, a failed query is not.
func (r *Report) Result() Result {
	failed := 0
	for _, d := range r.Dependencies {
		if d.Status == latency.StatusQueryFailed {
			failed++
		}
	}
	switch failed {
	case 0:
		return Success
	case len(r.Dependencies):
		return Failure
	}
	return Partial
}

// Known reports whether anything at all is known about any dependency.
func (r *Report) Known() bool {
	for _, d := range r.Dependencies {
		if d.Known() {
			return true
		}
	}
	return false
}

// Worst returns the severity of the worst finding, Off when there is none.
func (r *Report) Worst() rules.Severity {
	worst := rules.Off
	for _, finding := range r.Findings {
		if finding.Severity.AtLeast(worst) {
			worst = finding.Severity
		}
	}
	return worst
}
