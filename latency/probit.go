package latency

import "math"

// neighbours are the two bounds that a timeout lies between, and the shares of
// values above them.
type neighbours struct {
	lower, upper           float64 // seconds; 0 (or −Inf) and +Inf at the ends
	aboveLower, aboveUpper float64
	index                  int // of the bin between them; −1 in a gap
}

// around returns the bounds next to t. On a bound, or in a gap, both shares are
// the share above t.
func (h Histogram) around(t float64) neighbours {
	t = h.snap(t)
	total := h.Total()
	n := neighbours{lower: t, upper: t, index: -1}
	for i, b := range h.Bins {
		switch lower := h.floor(i); {
		case lower >= t:
			n.aboveUpper += b.Count / total
		case b.Upper > t:
			n.lower, n.upper, n.index = lower, b.Upper, i
		}
	}
	n.aboveLower = n.aboveUpper
	if n.index >= 0 {
		n.aboveLower += h.Bins[n.index].Count / total
	}
	return n
}

// LocalProbit returns P(X > t) from the two neighbouring bounds only, with
// z = Isf(share above) linear in ln t between them: the two-quantile lognormal
// used locally, so that no mode far away bends it. lower and upper are the
// shares above the bounds. A bound above which nothing lies has no z, and the
// last finite one no next: there the line through the two bounds below is
// extended and clipped to [0, share above the lower]; before the first bound
// likewise from above. Without any values all three are 0.
func LocalProbit(h Histogram, t float64) (p, lower, upper float64) {
	if !(h.Total() > 0) {
		return 0, 0, 0
	}
	n := h.around(t)
	if n.index < 0 || n.aboveLower == n.aboveUpper {
		return n.aboveUpper, n.aboveUpper, n.aboveUpper
	}
	p, ok := h.probitLine(t, n)
	if !ok {
		p = h.FractionAbove(t)
	}
	return min(max(p, n.aboveUpper), n.aboveLower), n.aboveUpper, n.aboveLower
}

// probitLine evaluates the line through the bounds around t, or the nearest two
// where one of them is 0 or infinite, or has nothing above it.
func (h Histogram) probitLine(t float64, n neighbours) (float64, bool) {
	switch {
	case n.lower <= 0:
		n = h.step(n, 1)
	case math.IsInf(n.upper, 1):
		n = h.step(n, -1)
	case n.aboveUpper == 0:
		if below := h.step(n, -1); below.falls() {
			n = below
		}
	}
	if !(n.lower > 0) || math.IsInf(n.upper, 1) {
		return 0, false
	}
	// A share of 0 or 1 has no z: it stands for less than half a value.
	half := 0.5 / (h.Total() + 1)
	z0 := NormalSurvivalQuantile(min(max(n.aboveLower, half), 1-half))
	z1 := NormalSurvivalQuantile(min(max(n.aboveUpper, half), 1-half))
	z := z0 + (z1-z0)*math.Log(t/n.lower)/math.Log(n.upper/n.lower)
	return NormalSurvival(z), !math.IsNaN(z)
}

// falls reports whether the line through both bounds has a slope that counts
// gave it.
func (n neighbours) falls() bool {
	return n.lower > 0 && n.aboveLower < 1 && n.aboveUpper < n.aboveLower && n.aboveUpper > 0
}

// step returns the bounds of the next bin up or down, none where there is none.
func (h Histogram) step(n neighbours, by int) neighbours {
	i := n.index + by
	if i < 0 || i >= len(h.Bins) {
		return neighbours{}
	}
	share := h.Bins[i].Count / h.Total()
	moved := neighbours{lower: h.floor(i), upper: h.Bins[i].Upper, index: i}
	if by > 0 {
		moved.aboveLower, moved.aboveUpper = n.aboveUpper, n.aboveUpper-share
	} else {
		moved.aboveLower, moved.aboveUpper = n.aboveLower+share, n.aboveLower
	}
	return moved
}

// calibrated returns P(X > t) from a model, shifted and stretched so that it
// has the empirical shares above the two neighbouring bounds: S(b₁) + (S(b₀) −
// S(b₁))·(M(t) − M(b₁))/(M(b₀) − M(b₁)). It is false where the model puts
// nothing between them.
func calibrated(h Histogram, t float64, model distribution) (float64, bool) {
	n := h.around(t)
	if n.index < 0 {
		return n.aboveUpper, true
	}
	low, high := model.Survival(n.lower), model.Survival(n.upper)
	if !(low-high > 1e-12*low) {
		return 0, false
	}
	p := n.aboveUpper + (n.aboveLower-n.aboveUpper)*(model.Survival(t)-high)/(low-high)
	return min(max(p, n.aboveUpper), n.aboveLower), true
}
