package report

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// Row is one dependency as a table shows it, every figure as text and "-" where
// it is not known.
type Row struct {
	Dependency, Timeout, P50, P99, TimeoutP99, FalseTimeouts, Fallback, Attempts string

	Status   string // with its reasons, and the age of the figures when they are not of this cycle
	Detail   string
	Findings []rules.Finding
	Policy   []string // what is declared and does not take effect, a sentence each
	Notes    []string
}

const missing = "-"

// Rows returns the dependencies as a table shows them, worst first.
func (r *Report) Rows() []Row {
	order := r.Urgency()
	rows := make([]Row, len(order))
	for i, place := range order {
		rows[i] = r.row(r.Dependencies[place])
	}
	return rows
}

func (r *Report) row(d Dependency) Row {
	row := Row{
		Dependency: d.Dependency.Name,
		Timeout:    "none",
		P50:        missing, P99: missing, TimeoutP99: missing, FalseTimeouts: missing, Fallback: missing, Attempts: missing,
		Status:   statusText(d.Assessment),
		Detail:   d.Detail,
		Findings: d.Findings,
		Notes:    d.Notes(),
	}
	for _, difference := range d.Effective.Differences {
		row.Policy = append(row.Policy, differenceText(difference))
	}
	if d.Limit > 0 {
		row.Timeout = figure.Seconds(d.Limit)
	}
	if figures := r.Figures(d, r.At); figures != nil {
		row.fill(figures)
		if !d.Known() {
			row.Status += fmt.Sprintf(", figures are %s old", figure.Seconds(r.At.Sub(figures.At).Seconds()))
		}
	}
	return row
}

func (row *Row) fill(a *audit.Assessment) {
	row.P50 = known(a.P50, figure.Seconds)
	row.P99 = known(a.P99, figure.Seconds)
	if a.P99LowerBound && a.P99 != nil {
		row.P99 = "> " + row.P99
	}
	row.TimeoutP99 = known(a.TimeoutP99Ratio, figure.Multiple)
	if a.P99LowerBound && a.TimeoutP99Ratio != nil {
		row.TimeoutP99 = "< " + row.TimeoutP99
	}
	if e := a.FalseTimeout; e != nil {
		row.FalseTimeouts = fmt.Sprintf("%s (%s to %s)", figure.Ratio(e.Point), figure.Ratio(e.Lower), figure.Ratio(e.Upper))
	}
	if a.Fallback != nil {
		row.Fallback = figure.Ratio(a.Fallback.Ratio.Point)
	}
	if a.Amplification != nil {
		row.Attempts = fmt.Sprintf("%s (max %d)", figure.Multiple(a.Amplification.Point), a.WorstCase)
	}
}

func known(v *float64, print func(float64) string) string {
	if v == nil {
		return missing
	}
	return print(*v)
}

func statusText(a *audit.Assessment) string {
	text := string(a.Status)
	for i, reason := range a.Reasons {
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		text += separator + string(reason)
	}
	return text
}
