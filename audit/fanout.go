package audit

import (
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// FanOut is calls that a caller makes at once and waits for, all of them.
type FanOut struct {
	Dependencies []string
	P99          *float64 // seconds, of the slowest of them; nil where the counts end before
}

// fanOut works out the p99 of the slowest of several calls: the time that one
// of them at least exceeds with probability 1%, 1 − Π(1 − Sᵢ(t)) (docs/model.md
// §6). Taking the calls as independent makes it a little high where they are
// slow together.
//
// Source: J. Dean and L. A. Barroso, "The Tail at Scale", CACM 56(2), 2013.
func fanOut(names []string, dependencies map[string]*Assessment) FanOut {
	f := FanOut{Dependencies: names}
	low, high := 0.0, 0.0
	var tails []latency.Histogram
	for _, name := range names {
		a := dependencies[name]
		if p99 := knownP99(a); p99 == nil || a.Tail == nil || len(a.Tail.Merged.Bins) == 0 {
			return f
		}
		tails = append(tails, a.Tail.Merged)
		low, high = max(low, lowest(a.Tail.Merged)), max(high, highest(a.Tail.Merged))
	}
	exceeds := func(t float64) bool {
		none := 1.0
		for _, tail := range tails {
			p, _, _ := latency.LocalProbit(tail, t)
			none *= 1 - p
		}
		return 1-none > P99Ratio
	}
	if exceeds(high) {
		return f
	}
	for range 60 {
		middle := (low + high) / 2
		if exceeds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	f.P99 = &high
	return f
}

// lowest and highest are the ends of a histogram's finite bins.
func lowest(h latency.Histogram) float64 { return max(0, h.Bins[0].Lower) }

func highest(h latency.Histogram) float64 {
	top := 0.0
	for _, bin := range h.Bins {
		if !math.IsInf(bin.Upper, 1) {
			top = max(top, bin.Upper)
		}
	}
	return top
}

// fallbackOfAny is how many of the chain's calls have a fallback at one of the
// entry's own calls at least. What nested calls do to a callee shows in the
// callee's own errors. The bounds hold however the hops' failures coincide: no
// lower than the worst hop, no higher than all together. Nil with a hop whose
// fallback ratio is not known.
func (c ChainAssessment) fallbackOfAny() *Estimate {
	e, none := Estimate{}, 1.0
	for _, hop := range c.Hops {
		if hop.Depth > 0 {
			continue
		}
		if hop.Assessment == nil || hop.Assessment.Fallback == nil {
			return nil
		}
		ratio := hop.Assessment.Fallback.Ratio
		none *= 1 - ratio.Point
		e.Lower, e.Upper = max(e.Lower, ratio.Lower), min(1, e.Upper+ratio.Upper)
	}
	e.Point = 1 - none
	return &e
}
