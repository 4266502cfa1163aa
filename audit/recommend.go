package audit

import (
	"fmt"
	"math"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// Recommendation is what to set the timeout to. Target is nil where the data
// cannot carry one; Step then still says which way to go, or is nil as well.
type Recommendation struct {
	Target *float64 // seconds: quantile(1 − target ratio) × (1 + headroom), at least p99
	Step   *float64 // seconds: Target, at most max_step away from what is declared
	Basis  *float64 // seconds: quantile(1 − target ratio); nil without a Target
	Past   bool     // Basis rests on the past, and not on the present window alone
	Why    string   // the basis, or the reason for refusing

	Room  *Room  // the longest timeout that its caller affords; nil: nothing limits it
	Lever string // what to change where the room does not even hold p99; empty where it does
}

// enoughAbove is how many calls must lie beyond a quantile before it is read
// off the counts: hours with N ≥ 10 ÷ target in docs/model.md §9.
const enoughAbove = 10

// recommend follows the order of docs/model.md §9: the quantile and its headroom,
// at least p99, within the room that the callers leave, at most max_step away.
func recommend(a *Assessment, rooms []Room) *Recommendation {
	if a.Tail == nil || a.Limit <= 0 || a.callScope() {
		return nil
	}
	dep := a.Dependency
	room := least(rooms)
	if censored(a) {
		return stepOnly(a, room)
	}
	target := dep.TargetFalseTimeoutRatio
	basis := a.basis(target)
	if basis.refused != "" {
		return &Recommendation{Why: basis.refused}
	}
	options := retry.RecommendOptions{
		Quantile: basis.seconds,
		Headroom: dep.Headroom,
		P99:      valueOr(a.P99, 0),
		Declared: a.Limit,
		MaxStep:  dep.MaxStep,
	}
	if room != nil {
		options.Budget = max(room.Seconds, math.SmallestNonzeroFloat64)
	}
	r := retry.Recommend(options)
	recommended := &Recommendation{Target: &r.Timeout, Step: &r.Step, Basis: &basis.seconds, Past: basis.past, Room: room,
		Why: fmt.Sprintf("%s × (1 + %g headroom)", basis.from, dep.Headroom)}
	switch {
	case r.OverBudget:
		recommended.Why = fmt.Sprintf("p99, since less fails healthy calls; %s", room)
		recommended.Lever = room.Lever
	case r.Clipped:
		recommended.Why = fmt.Sprintf("all that %s leaves an attempt; %s would be %s", room.By, recommended.Why, figure.Seconds(r.Unclipped))
	case r.AtFloor:
		recommended.Why += ", raised to p99"
	}
	return recommended
}

// quantile returns the timeout that the given share of attempts exceeds.
func (a *Assessment) quantile(tail float64) (seconds float64, bounded bool) {
	return quantileOf(a.Tail.Merged, tail)
}

// quantileOf returns the time that the given share of values exceeds, by the
// lognormal through the two neighbouring bounds (docs/model.md §4) as the
// headline does and not by the straight line of histogram_quantile, which in a
// coarse bucket is off by several times. bounded is false where the counts end
// before: seconds is the highest finite bound then.
func quantileOf(h latency.Histogram, tail float64) (seconds float64, bounded bool) {
	straight, bounded := h.Quantile(1 - tail)
	if !bounded {
		return straight, false
	}
	low, high := around(h.Bins, straight)
	if seconds, ok := onProbitLine(h, low, high, tail); ok {
		return seconds, true
	}
	for range 40 { // to a relative precision of 1e-12
		middle := (low + high) / 2
		if p, _, _ := latency.LocalProbit(h, middle); p > tail {
			low = middle
		} else {
			high = middle
		}
	}
	return high, true
}

// onProbitLine solves for the time between two bounds at which the line of z in
// ln t meets the tail. It is false where a bound has no z.
func onProbitLine(h latency.Histogram, low, high, tail float64) (seconds float64, ok bool) {
	total := h.Total()
	aboveLow, _ := h.CountAbove(low)
	aboveHigh, _ := h.CountAbove(high)
	if !(low > 0 && high > low && aboveLow < total && aboveHigh > 0 && aboveLow > aboveHigh) {
		return 0, false
	}
	zLow, zHigh := latency.NormalSurvivalQuantile(aboveLow/total), latency.NormalSurvivalQuantile(aboveHigh/total)
	share := (latency.NormalSurvivalQuantile(tail) - zLow) / (zHigh - zLow)
	return low * math.Pow(high/low, min(max(share, 0), 1)), true
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
func censored(a *Assessment) bool {
	return a.bent() && a.Tail.Compare(a.Dependency.TargetFalseTimeoutRatio) != latency.VerdictBelow
}

// stepOnly raises a timeout that cuts its own histogram without claiming to
// know where the tail ends. One below p99 is raised whether there is room or
// not, since it fails healthy calls.
func stepOnly(a *Assessment, room *Room) *Recommendation {
	r := Recommendation{Why: "the histogram is bent by this very timeout, so nothing beyond it is known", Room: room}
	belowP99 := a.Tail.Compare(P99Ratio) == latency.VerdictAbove
	if !belowP99 && a.Tail.Compare(a.Dependency.TargetFalseTimeoutRatio) != latency.VerdictAbove {
		return &r
	}
	step := a.Limit * a.Dependency.MaxStep
	if room != nil && room.Seconds < step {
		r.Why += fmt.Sprintf(", and %s", room)
		if !belowP99 {
			step = room.Seconds
		}
		if step <= a.Limit || belowP99 {
			r.Lever = room.Lever
		}
	}
	if step > a.Limit {
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
