package latency

import "math"

// Total returns the number of values in all bins.
func (h Histogram) Total() float64 {
	total := 0.0
	for _, b := range h.Bins {
		total += b.Count
	}
	return total
}

// Mean returns sum ÷ count in seconds; false when the sum is not known, or
// nothing was counted.
func (h Histogram) Mean() (float64, bool) {
	total := h.Total()
	if h.Sum == nil || total <= 0 || math.IsNaN(*h.Sum) || math.IsInf(*h.Sum, 0) {
		return 0, false
	}
	return *h.Sum / total, true
}

// Quantile returns the q-quantile in seconds, 0 ≤ q ≤ 1, as histogram_quantile
// of Prometheus 3 does: linear inside a classic or custom bin and a zero
// bucket, logarithmic inside an exponential one. When the rank lies in the +Inf
// bin it returns the highest finite bound and bounded is false: the quantile is
// at least that. With nothing counted, or no such q, it returns 0 and false.
func (h Histogram) Quantile(q float64) (seconds float64, bounded bool) {
	total := h.Total()
	if !(total > 0) || !(q >= 0 && q <= 1) {
		return 0, false
	}
	// Native histograms are walked from the nearer end, which decides on which
	// side of a gap a rank lies that falls exactly on it.
	if h.Scheme != Classic && q >= 0.5 {
		return h.quantileFromAbove(total * (1 - q))
	}
	return h.quantileFromBelow(total * q)
}

func (h Histogram) quantileFromBelow(rank float64) (float64, bool) {
	if rank == 0 && h.Scheme == Classic {
		return h.within(0, 0) // of the lowest bucket, empty or not
	}
	below := 0.0
	last := -1
	for i, b := range h.Bins {
		if b.Count == 0 {
			continue
		}
		last = i
		if below+b.Count >= rank {
			return h.within(i, (rank-below)/b.Count)
		}
		below += b.Count
	}
	return h.within(last, 1) // rounding left the rank above the sum
}

func (h Histogram) quantileFromAbove(rank float64) (float64, bool) {
	above := 0.0
	first := -1
	for i := len(h.Bins) - 1; i >= 0; i-- {
		b := h.Bins[i]
		if b.Count == 0 {
			continue
		}
		first = i
		above += b.Count
		if above >= rank {
			return h.within(i, (above-rank)/b.Count)
		}
	}
	return h.within(first, 0)
}

// within returns the value a given fraction into bin i.
func (h Histogram) within(i int, fraction float64) (float64, bool) {
	b := h.Bins[i]
	lower := h.floor(i)
	fraction = min(max(fraction, 0), 1) // sums of counts round
	switch {
	case math.IsInf(b.Upper, 1):
		return max(lower, 0), false
	case math.IsInf(lower, -1):
		return b.Upper, true
	case h.logarithmic(i):
		from, to := math.Log2(lower), math.Log2(b.Upper)
		return math.Exp2(from + (to-from)*fraction), true
	}
	return lower + (b.Upper-lower)*fraction, true
}

// floor returns the lower end of bin i: 0 where the bin reaches below 0 and
// other bins say that values are positive.
func (h Histogram) floor(i int) float64 {
	b := h.Bins[i]
	if b.Lower < 0 && b.Upper > 0 && (len(h.Bins) > 1 || h.Scheme != Exponential) {
		return 0
	}
	return b.Lower
}

// logarithmic reports whether values are spread evenly in log time in bin i.
func (h Histogram) logarithmic(i int) bool {
	return h.Scheme == Exponential && h.Bins[i].Lower > 0
}

// FractionAbove returns the share of values above t seconds with Prometheus's
// own interpolation inside the bin that holds t, which is 1 −
// histogram_fraction(-Inf, t). It is 0 when nothing was counted.
func (h Histogram) FractionAbove(t float64) float64 {
	total := h.Total()
	if !(total > 0) || math.IsNaN(t) {
		return 0
	}
	t = h.snap(t)
	above := 0.0
	for i, b := range h.Bins {
		switch lower := h.floor(i); {
		case lower >= t:
			above += b.Count
		case b.Upper <= t:
		default:
			above += b.Count * (1 - h.fractionBelow(i, t))
		}
	}
	return min(above/total, 1)
}

// fractionBelow returns how much of bin i lies below a t inside it.
func (h Histogram) fractionBelow(i int, t float64) float64 {
	lower, upper := h.floor(i), h.Bins[i].Upper
	switch {
	case math.IsInf(upper, 1):
		return 0
	case math.IsInf(lower, -1):
		return 1
	case h.logarithmic(i):
		return math.Log2(t/lower) / math.Log2(upper/lower)
	}
	return (t - lower) / (upper - lower)
}

// CountAbove returns how many values are surely above t seconds, those in bins
// that begin at or above t, and how many possibly are, with the bin that holds
// t. The two are equal when t is a bound.
func (h Histogram) CountAbove(t float64) (sure, possible float64) {
	t = h.snap(t)
	for i, b := range h.Bins {
		if b.Upper > t {
			possible += b.Count
			if h.floor(i) >= t {
				sure += b.Count
			}
		}
	}
	return sure, possible
}

// countFrom returns how many values lie in bins that end at or above t: all that
// may have been recorded at a timeout of t, rounding included.
func (h Histogram) countFrom(t float64) float64 {
	t = h.snap(t)
	count := 0.0
	for _, b := range h.Bins {
		if b.Upper >= t {
			count += b.Count
		}
	}
	return count
}

// sameBound is the relative difference up to which two bounds are one: 700 ms
// times 0.001 is not 0.7 s to the last bit.
const sameBound = 1e-9

// snap returns the bin bound that t is up to rounding, or t.
func (h Histogram) snap(t float64) float64 {
	for _, b := range h.Bins {
		for _, bound := range [2]float64{b.Lower, b.Upper} {
			if math.Abs(bound-t) <= sameBound*math.Abs(t) {
				return bound
			}
		}
	}
	return t
}
