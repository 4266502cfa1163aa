package latency

import "math"

// FitCensored fits a lognormal to a histogram in which attempts cut off at t
// were recorded at about t: the bins from the one that reaches t upwards are
// one open bin, so that the spike, wherever rounding and late timers put it,
// says only "longer". P(X > t) is then the fit's Survival(t).
func FitCensored(h Histogram, t float64) (BinnedFit, error) {
	below, from, above := h.cellsBelow(t)
	return fitCells(withOpen(below, from, above), math.Inf(1))
}

// FitWithTimeouts fits a lognormal to a histogram from which attempts cut off
// at t were dropped, and to the number of them that a counter has.
func FitWithTimeouts(h Histogram, t, timeouts float64) (BinnedFit, error) {
	return fitCells(withOpen(h.cellsUpTo(t), logBound(t), timeouts), math.Inf(1))
}

// FitTruncated fits a lognormal to a histogram from which attempts cut off at t
// were dropped, and nothing counts them. What it says beyond t is an
// extrapolation: no value there was seen.
func FitTruncated(h Histogram, t float64) (BinnedFit, error) {
	return fitCells(h.cellsUpTo(t), logBound(t))
}

// withOpen adds an open cell of count values. An empty one would say that all
// values are known to lie below it, which the other cells say already.
func withOpen(cells []cell, from, count float64) []cell {
	if count > 0 {
		cells = append(cells, cell{from, math.Inf(1), count})
	}
	return cells
}
