package report

import (
	"fmt"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// Backtests is how the timeouts of several dependencies held over one stretch of
// the past, and how others would have. Treat it as read-only.
type Backtests struct {
	Since, Until time.Time
	Step         time.Duration
	Dependencies []DependencyBacktest
}

// DependencyBacktest is one dependency's place among them.
type DependencyBacktest struct {
	audit.Backtest
	Findings []rules.Finding
}

// BuildBacktests judges what the past says by the rules on the false-timeout
// ratio, with the configuration's changes to them.
func BuildBacktests(b Backtests, results []audit.Backtest, overrides map[string]config.Rule) *Backtests {
	severity := map[string]rules.Severity{}
	for _, rule := range rules.Effective(overrides) {
		severity[rule.Code] = rule.Severity
	}
	for _, result := range results {
		d := DependencyBacktest{Backtest: result}
		for _, f := range pastFindings(result) {
			f.Severity = severity[f.Rule]
			if f.Severity != "" {
				d.Findings = append(d.Findings, f)
			}
		}
		b.Dependencies = append(b.Dependencies, d)
	}
	return &b
}

// pastFindings are the rules that held in the past, without their severity.
func pastFindings(b audit.Backtest) []rules.Finding {
	var findings []rules.Finding
	add := func(rule, message string) {
		findings = append(findings, rules.Finding{
			Rule: rule, Dependency: b.Dependency.Name, Caller: b.Dependency.Caller, Callee: b.Dependency.Callee, Owner: b.Dependency.Owner,
			Decided: b.Until, Message: message, Advice: pastAdvice(b),
		})
	}
	if n := b.Declared.Above; n > 0 {
		add("timeout-below-p99", fmt.Sprintf("the timeout %s lay below p99 in %d of %d windows of %s that decide, %s",
			figure.Seconds(b.Limit), n, b.Declared.Judged(), period(b.Step), whenAbove(b)))
	}
	if cut := b.Declared.Cut; cut != nil && cut.Lower > b.Dependency.TargetFalseTimeoutRatio {
		add("false-timeout-ratio-high", fmt.Sprintf("%s of all attempts took longer than %s, and the target is %s",
			pastShare(cut), figure.Seconds(b.Limit), figure.Ratio(b.Dependency.TargetFalseTimeoutRatio)))
	}
	return findings
}

// whenAbove names the windows in which the timeout lay below p99, the worst
// first where there are several.
func whenAbove(b audit.Backtest) string {
	var first, worst *audit.BacktestStep
	for i, s := range b.Steps {
		if s.Verdict != "above" || s.FalseTimeout == nil {
			continue
		}
		if first == nil {
			first = &b.Steps[i]
		}
		if worst == nil || s.FalseTimeout.Lower > worst.FalseTimeout.Lower {
			worst = &b.Steps[i]
		}
	}
	if worst == nil {
		return "and when is not known"
	}
	text := fmt.Sprintf("worst in the one up to %s (%s took longer)", clock(worst.At), figure.Ratio(worst.FalseTimeout.Point))
	if first != worst {
		text += ", first in the one up to " + clock(first.At)
	}
	return text
}

func pastAdvice(b audit.Backtest) string {
	r := b.Recommendation
	switch {
	case r == nil:
		return ""
	case r.Target != nil && *r.Target > b.Limit:
		return fmt.Sprintf("raise the timeout towards %s: %s", figure.Seconds(*r.Target), r.Why)
	case r.Target != nil:
		return fmt.Sprintf("no longer timeout is needed for the target over the whole stretch: %s", r.Why)
	case r.Step != nil:
		return fmt.Sprintf("raise the timeout to %s and look again, since %s", figure.Seconds(*r.Step), r.Why)
	}
	return "raise the timeout in steps or make the dependency faster; no figure is recommended, since " + r.Why
}

// Known reports whether anything is known about any dependency's past.
func (b *Backtests) Known() bool {
	for _, d := range b.Dependencies {
		if d.History.Steps > 0 {
			return true
		}
	}
	return false
}

// Worst returns the severity of the worst finding, Off when there is none.
func (b *Backtests) Worst() rules.Severity {
	worst := rules.Off
	for _, d := range b.Dependencies {
		for _, f := range d.Findings {
			if f.Severity.AtLeast(worst) {
				worst = f.Severity
			}
		}
	}
	return worst
}

// pastShare is a share with its bracket, or the bracket alone.
func pastShare(s *audit.PastShare) string {
	switch {
	case s == nil:
		return missing
	case s.Point == nil:
		return fmt.Sprintf("%s to %s", figure.Ratio(s.Lower), figure.Ratio(s.Upper))
	}
	return fmt.Sprintf("%s (%s to %s)", figure.Ratio(*s.Point), figure.Ratio(s.Lower), figure.Ratio(s.Upper))
}

// clock is a moment of the past to the minute.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02T15:04Z") }
