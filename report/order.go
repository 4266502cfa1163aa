package report

import (
	"cmp"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// Urgency orders dependencies for a reader: worst finding first, then the
// worst status, then the larger predicted false-timeout ratio, then by name. It
// returns their places in r.Dependencies.
func (r *Report) Urgency() []int {
	order := make([]int, len(r.Dependencies))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		a, b := &r.Dependencies[x], &r.Dependencies[y]
		return cmp.Or(
			b.worst().Compare(a.worst()),
			cmp.Compare(statusRank(b.Status), statusRank(a.Status)),
			cmp.Compare(pointOf(b), pointOf(a)),
			cmp.Compare(a.Dependency.Name, b.Dependency.Name),
		)
	})
	return order
}

// worst is the severity of the dependency's worst finding, Off without one.
func (d *Dependency) worst() rules.Severity {
	if len(d.Findings) == 0 {
		return rules.Off
	}
	return d.Findings[0].Severity
}

func statusRank(s latency.Status) int { return slices.Index(latency.Statuses(), s) }

func pointOf(d *Dependency) float64 {
	if d.FalseTimeout == nil {
		return 0
	}
	return d.FalseTimeout.Point
}
