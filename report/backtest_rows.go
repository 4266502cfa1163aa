package report

import (
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// BacktestRow is one timeout over the past as a table shows it, every figure as
// text and "-" where it is not known.
type BacktestRow struct {
	Timeout  string // with "declared" behind it where it is in force
	Declared bool
	Cut      string // share of all attempts that took longer, with its bracket

	Above, Below, Undecided, Unknown string // numbers of windows
}

// Rows returns the declared timeout and the others, ascending. Without a timeout
// or without data there are none.
func (d DependencyBacktest) Rows() []BacktestRow {
	if d.Limit <= 0 || d.History.Steps == 0 {
		return nil
	}
	var rows []BacktestRow
	declared := false
	for _, p := range d.Others {
		if !declared && p.Timeout > d.Limit {
			rows, declared = append(rows, backtestRow(d.Declared, true)), true
		}
		rows = append(rows, backtestRow(p, false))
	}
	if !declared {
		rows = append(rows, backtestRow(d.Declared, true))
	}
	return rows
}

func backtestRow(p audit.TimeoutPast, declared bool) BacktestRow {
	row := BacktestRow{
		Timeout: figure.Seconds(p.Timeout), Declared: declared, Cut: pastShare(p.Cut),
		Above: strconv.Itoa(p.Above), Below: strconv.Itoa(p.Below), Undecided: strconv.Itoa(p.Undecided), Unknown: strconv.Itoa(p.Unknown),
	}
	if declared {
		row.Timeout += " declared"
	}
	return row
}

// P99 is the range of the windows' p99.
func (d DependencyBacktest) P99() string {
	h := d.History
	if h.P99High == 0 {
		return missing
	}
	high := figure.Seconds(h.P99High)
	for _, s := range d.Steps {
		if s.P99LowerBound && s.P99 != nil && *s.P99 == h.P99High {
			high = "> " + high
			break
		}
	}
	if low := figure.Seconds(h.P99Low); low != high {
		return low + " to " + high
	}
	return high
}

// WorstWindow is the time that the worst window's quantile exceeds at 99.9%, and
// when that was.
func (d DependencyBacktest) WorstWindow() string {
	w := d.History.Worst
	if w == nil {
		return missing
	}
	return fmt.Sprintf("> %s, up to %s", figure.Seconds(w.Seconds), clock(w.At))
}

// Quantile names the quantile that the target ratio asks for: p99.9.
func (d DependencyBacktest) Quantile() string {
	return "p" + strconv.FormatFloat(100*(1-d.Dependency.TargetFalseTimeoutRatio), 'f', -1, 64)
}

// Recommended is what the past leads to, or why there is no figure.
func (d DependencyBacktest) Recommended() string {
	switch r := d.Recommendation; {
	case d.Limit <= 0:
		return "no timeout is declared, so there is none to judge"
	case r == nil:
		return ""
	case r.Target != nil:
		return fmt.Sprintf("recommended: %s, %s", figure.Seconds(*r.Target), r.Why)
	default:
		return "no figure is recommended: " + r.Why
	}
}

// Unknown says why windows say nothing, the most frequent reason.
func (d DependencyBacktest) Unknown() string {
	count := map[string]int{}
	why := ""
	n := 0
	for _, s := range d.Steps {
		if s.Known() || s.Detail == "" {
			continue
		}
		n++
		if count[s.Detail]++; why == "" || count[s.Detail] > count[why] {
			why = s.Detail
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d windows say nothing: %s", n, len(d.Steps), why)
}

// worst is the severity of the worst finding.
func (d DependencyBacktest) worst() rules.Severity {
	if len(d.Findings) == 0 {
		return rules.Off
	}
	return d.Findings[0].Severity
}

func period(d time.Duration) string { return model.Duration(d).String() }
