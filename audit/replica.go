package audit

import (
	"cmp"
	"math"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Replica is one replica's false-timeout ratio beside the fleet's.
type Replica struct {
	Name    string
	Ratio   Estimate // bracket at 99.9% each side
	Verdict latency.Verdict
}

// slowRatio is how many times the fleet's ratio a slow replica has at least.
const slowRatio = 3

// judgeReplicas compares each replica with the fleet (docs/model.md §10): slow
// is one whose interval lies wholly above the fleet's and whose ratio is at
// least three times the fleet's, whatever its health check says.
func (a *Assessment) judgeReplicas() {
	if a.Tail == nil || a.Tail.Blocked || a.Limit <= 0 || a.FalseTimeout == nil {
		return
	}
	fleet := *a.FalseTimeout
	for _, r := range a.Observation.Replicas {
		window := latency.Window{Parts: []latency.Histogram{r.Histogram}, Scrapes: r.Scrapes}
		above, _ := r.Histogram.CountAbove(a.Limit)
		n := r.Histogram.Total() * window.Honest()
		above *= window.Honest()
		if n <= 0 {
			continue
		}
		d := max(1, a.Tail.Dispersion)
		judged := Replica{Name: r.Name, Verdict: latency.VerdictBelow, Ratio: Estimate{
			Point: above / n,
			Lower: latency.BinomialLower(math.Floor(above/d), n/d, measuredSide),
			Upper: latency.BinomialUpper(math.Ceil(above/d), n/d, measuredSide),
		}}
		if judged.Ratio.Point >= slowRatio*fleet.Point && judged.Ratio.Point > 0 {
			judged.Verdict = latency.VerdictUncertain
			if judged.Ratio.Lower > fleet.Upper {
				judged.Verdict = latency.VerdictAbove
			}
		}
		a.Replicas = append(a.Replicas, judged)
	}
	slices.SortFunc(a.Replicas, func(x, y Replica) int {
		return cmp.Or(cmp.Compare(y.Ratio.Point, x.Ratio.Point), cmp.Compare(x.Name, y.Name))
	})
}

// CompareReplicas says whether any replica is slow.
func (a *Assessment) CompareReplicas() latency.Verdict {
	verdict := latency.VerdictBelow
	for _, r := range a.Replicas {
		switch r.Verdict {
		case latency.VerdictAbove:
			return latency.VerdictAbove
		case latency.VerdictUncertain:
			verdict = latency.VerdictUncertain
		}
	}
	return verdict
}
