package audit

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// Recommendation is what to set the timeout to. Target is nil where the data
// cannot carry one; Step then still says which way to go, or is nil as well.
type Recommendation struct {
	Target *float64  // seconds: quantile(1 − target ratio) × (1 + headroom), at least p99
	Step   *float64  // seconds: Target, at most max_step away from what is declared
	Basis  *float64  // seconds: quantile(1 − target ratio); nil without a Target
	Why    string    // the basis, or the reason for refusing
	Then   *Tradeoff // what the step buys and costs
}

// enoughAbove is how many calls must lie beyond a quantile before it is read
// off the counts: hours with N ≥ 10 ÷ target in docs/model.md §9.
const enoughAbove = 10

func recommend(a Assessment) *Recommendation {
	if a.Tail == nil || a.Limit <= 0 || a.callScope() {
		return nil
	}
	dep := a.Dependency
	if censored(a) {
		return stepOnly(a)
	}
	target := dep.TargetFalseTimeoutRatio
	if a.Tail.Samples < enoughAbove/target {
		return &Recommendation{Why: fmt.Sprintf("a quantile of %g needs %.0f calls in the window, and there are %.0f",
			1-target, enoughAbove/target, a.Tail.Samples)}
	}
	quantile, bounded := a.quantile(target)
	if !bounded {
		return &Recommendation{Why: fmt.Sprintf("the %g quantile lies beyond the highest finite bucket bound: add higher bounds", 1-target)}
	}
	r := retry.Recommend(retry.RecommendOptions{
		Quantile: quantile,
		Headroom: dep.Headroom,
		P99:      valueOr(a.P99, 0),
		Declared: a.Limit,
		MaxStep:  dep.MaxStep,
	})
	return &Recommendation{Target: &r.Timeout, Step: &r.Step, Basis: &quantile,
		Why: fmt.Sprintf("the %g quantile of the window × (1 + %g headroom)", 1-target, dep.Headroom)}
}

// quantile returns the timeout that the given share of attempts exceeds, by the
// lognormal through the two neighbouring bounds (docs/model.md §4) as the
// headline does and not by the straight line of histogram_quantile, which in a
// coarse bucket is off by several times. bounded is false where the counts end
// before.
func (a Assessment) quantile(tail float64) (seconds float64, bounded bool) {
	straight, bounded := a.Tail.Merged.Quantile(1 - tail)
	if !bounded {
		return 0, false
	}
	low, high := around(a.Tail.Merged.Bins, straight)
	for range 60 {
		middle := (low + high) / 2
		if p, _, _ := latency.LocalProbit(a.Tail.Merged, middle); p > tail {
			low = middle
		} else {
			high = middle
		}
	}
	return high, true
}

// around returns the ends of the bin that a value lies in.
func around(bins []latency.Bin, value float64) (low, high float64) {
	for _, bin := range bins {
		if value > bin.Lower && value <= bin.Upper {
			return max(bin.Lower, 0), bin.Upper
		}
	}
	return value, value
}

// censored reports whether the timeout may have bent the part of the histogram
// that the recommendation would be read from: beyond it nothing is identified.
func censored(a Assessment) bool {
	return a.bent() && a.Tail.Compare(a.Dependency.TargetFalseTimeoutRatio) != latency.VerdictBelow
}

// stepOnly raises a timeout that cuts its own histogram without claiming to
// know where the tail ends.
func stepOnly(a Assessment) *Recommendation {
	r := Recommendation{Why: "the histogram is bent by this very timeout, so nothing beyond it is known"}
	if a.Tail.Compare(a.Dependency.TargetFalseTimeoutRatio) == latency.VerdictAbove || a.Tail.Compare(P99Ratio) == latency.VerdictAbove {
		step := a.Limit * a.Dependency.MaxStep
		r.Step = &step
	}
	return &r
}

func valueOr(v *float64, fallback float64) float64 {
	if v == nil {
		return fallback
	}
	return *v
}
