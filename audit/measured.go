package audit

import (
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Comparison is one figure as counters measured it beside the prediction. The
// measured bracket is Clopper–Pearson's at 99.9% each side, with the counts
// divided by the dispersion of the histogram's.
type Comparison struct {
	What                string // "attempts that time out", …
	Measured, Predicted Estimate
}

const (
	measuredSide    = 0.999 // confidence of each end of a measured bracket
	leastDifference = 2     // measured-differs needs at least this ratio, beyond disjoint intervals
	leastLost       = 0.05  // two counters are never read at one moment, so fewer lost attempts prove nothing
)

// Differs reports whether the measured figure is beyond chance and at least
// twice or half of what is predicted (docs/model.md §8).
func (c Comparison) Differs() bool {
	switch {
	case c.Measured.Lower > c.Predicted.Upper:
		return c.Measured.Point >= leastDifference*c.Predicted.Point
	case c.Measured.Upper < c.Predicted.Lower:
		return c.Predicted.Point >= leastDifference*c.Measured.Point
	}
	return false
}

// compareMeasured sets what counters say beside what is predicted without them.
func (a *Assessment) compareMeasured() {
	o := a.Observation.Observed
	if a.Limit > 0 && !a.callScope() {
		a.compareTimeouts(o)
	}
	if o.Calls == nil || !a.retriesKnown() || a.callScope() {
		return
	}
	if o.Retries != nil && a.Policy.Retries > 0 {
		n := float64(a.Policy.Retries)
		predicted := a.underAnyCorrelation(func(a *Assessment, p float64) float64 { return a.amplificationAt(p) - 1 })
		measured := a.measured(*o.Retries, n**o.Calls)
		measured = Estimate{measured.Point * n, measured.Lower * n, measured.Upper * n}
		a.Comparisons = append(a.Comparisons, Comparison{"retries per call", measured, predicted})
	}
	if o.Fallbacks != nil {
		predicted := a.underAnyCorrelation((*Assessment).fallbackAt)
		a.Comparisons = append(a.Comparisons, Comparison{"calls that end in a fallback", a.measured(*o.Fallbacks, *o.Calls), predicted})
	}
}

// compareTimeouts predicts from the histogram alone, as if there were no
// counters, and sets beside it the timeouts that were counted, or else the
// attempts that left no latency sample at all.
func (a *Assessment) compareTimeouts(o latency.Counters) {
	switch {
	case o.Attempts == nil:
	case a.Dependency.Latency.Timeouts == string(latency.RecordingDropped): // fewer are expected in the histogram
	case o.Timeouts != nil:
		recording := latency.Recording(a.Dependency.Latency.Timeouts)
		if predicted, ok := a.fromHistogram(recording); ok {
			a.Comparisons = append(a.Comparisons, Comparison{"attempts that time out", a.measured(*o.Timeouts, *o.Attempts), predicted})
		}
	default:
		lost := a.measured(*o.Attempts-a.Tail.Counted, *o.Attempts)
		if predicted, ok := a.fromHistogram(latency.RecordingUncensored); ok && lost.Point >= leastLost {
			a.Comparisons = append(a.Comparisons, Comparison{"attempts without a latency sample", lost, predicted})
		}
	}
}

// fromHistogram is P(X > Limit) read without counters, over all readings.
func (a *Assessment) fromHistogram(recording latency.Recording) (Estimate, bool) {
	alone := latency.ReadTail(a.Observation, latency.TailOptions{
		Timeout: a.Limit, Recording: recording, UnitScale: a.Dependency.Latency.UnitScale, Models: a.Tail.Models,
	})
	predicted := Estimate{alone.Point, alone.Lower, 0}
	for _, reading := range alone.Readings {
		upper := reading.Upper
		if reading.Extrapolated {
			upper = reading.ClearLimit
		}
		predicted.Upper = max(predicted.Upper, upper)
	}
	return predicted, len(alone.Readings) > 0
}

// measured is hits of n with its bracket; hits beyond 0 to n are clipped, since
// rates of two counters are never taken at one moment.
func (a *Assessment) measured(hits, n float64) Estimate {
	if !(n > 0) {
		return Estimate{Upper: 1}
	}
	hits = min(max(hits, 0), n)
	d := max(1, a.Tail.Dispersion)
	return Estimate{
		Point: hits / n,
		Lower: latency.BinomialLower(math.Floor(hits/d), n/d, measuredSide),
		Upper: latency.BinomialUpper(math.Ceil(hits/d), n/d, measuredSide),
	}
}

// underAnyCorrelation is the prediction f with its bracket widened to all
// correlations, so that a wrong rho alone never makes measured and predicted
// differ.
func (a *Assessment) underAnyCorrelation(f func(a *Assessment, p float64) float64) Estimate {
	independent, shared := *a, *a
	independent.Correlation.Value, shared.Correlation.Value = 0, 1
	return Estimate{
		Point: f(a, a.FalseTimeout.Point),
		Lower: f(&independent, a.FalseTimeout.Lower),
		Upper: f(&shared, a.FalseTimeout.Upper),
	}
}
