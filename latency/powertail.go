package latency

import "math"

const (
	spanFactor  = 1.5 // each of the two spans below a timeout reaches over at least this factor
	fewInSpan   = 10  // values in the upper one from which the counts say how fast they fall
	slowestTail = 1   // tail exponent assumed where they do not: the mean is just infinite
)

// span is a stretch of time below a timeout: its width in log time and the
// values in it.
type span struct {
	width, count float64
}

// spansBelow returns the stretch that ends at t and the one below it, each of
// as many bins as reach over spanFactor. A gap between native bins is a bin that
// holds nothing. The first bin of a classic histogram has no lower end in log
// time, so a span with it is infinitely wide.
func (h Histogram) spansBelow(t float64) (upper, lower span) {
	t = h.snap(t)
	spans := [2]span{}
	edge, filled := t, 0
	reach := func(from, count float64) {
		if filled == len(spans) || from >= edge {
			return
		}
		s := &spans[filled]
		s.count += count
		s.width += math.Log(edge / max(from, 0))
		if s.width >= math.Log(spanFactor)*(1-sameBound) {
			filled++
		}
		edge = from
	}
	for i := len(h.Bins) - 1; i >= 0; i-- {
		if from := h.floor(i); from < t {
			reach(h.Bins[i].Upper, 0)
			reach(from, h.Bins[i].Count)
		}
	}
	return spans[0], spans[1]
}

// powerTailLimit returns an upper limit of P(X > t) at the given confidence,
// where values above t are missing, for a tail that falls beyond t at least as
// fast as a power law through the two spans below t does. That holds where the
// survival is concave in log-log, as that of lognormals, exponentials and
// bounded distributions is, and just so for Pareto's. It is 1 where the counts
// do not show a fall. d is the dispersion of the histogram's counts.
//
// Derivation: where the density in log time falls as exp(−a·x), a span of width
// w above one of width v has exp(−a·v)·(1 − exp(−a·w))/(1 − exp(−a·v)) times its
// values, and all beyond it has 1/(exp(a·w) − 1) times those of the upper span.
func (h Histogram) powerTailLimit(t, confidence, d float64) float64 {
	upper, lower := h.spansBelow(t)
	count := math.Ceil(upper.count/d - countSlack)
	share := BinomialUpper(count, (upper.count+lower.count)/d, confidence)
	exponent := tailExponent(upper.width, lower.width, share/(1-share))
	if upper.count/d < fewInSpan {
		exponent = max(exponent, slowestTail)
	}
	fall := exponent * upper.width
	if !(fall > 0) || math.IsInf(fall, 1) {
		return 1
	}
	odds := BinomialUpper(count, h.totalBelow(t)/d, confidence) / math.Expm1(fall)
	return 1 / (1 + 1/odds)
}

// totalBelow returns the number of values in bins that begin below t.
func (h Histogram) totalBelow(t float64) float64 {
	t = h.snap(t)
	total := 0.0
	for i, b := range h.Bins {
		if h.floor(i) < t {
			total += b.Count
		}
	}
	return total
}

// tailExponent returns the a for which a span of width w has ratio times the
// values of the one below it, of width v; 0 where even a = 0 has fewer.
func tailExponent(w, v, ratio float64) float64 {
	modelled := func(a float64) float64 {
		return math.Exp(-a*v) * math.Expm1(-a*w) / math.Expm1(-a*v)
	}
	if !(ratio < w/v) {
		return 0
	}
	low, high := 0.0, 1.0
	for modelled(high) > ratio && high < 1e6 {
		low, high = high, 2*high
	}
	const precision = 1e-12
	for range 60 {
		middle := (low + high) / 2
		if modelled(middle) > ratio {
			low = middle
		} else {
			high = middle
		}
		if high-low <= precision*low {
			break
		}
	}
	return low
}
