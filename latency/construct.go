package latency

import (
	"errors"
	"fmt"
	"math"
)

// The reasons why cumulative bucket counts are no histogram.
var (
	ErrNonMonotonic = errors.New("cumulative bucket counts fall")
	ErrNoInfBucket  = errors.New("the +Inf bucket is missing")
	ErrBucketBound  = errors.New("bucket bounds must be numbers in ascending order")
	ErrBucketCount  = errors.New("a bucket count must be a finite number of at least 0")
)

// NonMonotonicError names the bucket whose cumulative count is below that of a
// lower one: series with different bounds were added up, or replicas merged by
// another function than a sum. It matches ErrNonMonotonic.
type NonMonotonicError struct {
	Bound         float64 // upper bound in the unit it was given in; +Inf for the last
	Count         float64 // its cumulative count
	LowerBound    float64 // the bound before it
	LowerBoundSum float64 // the cumulative count there
}

func (e *NonMonotonicError) Error() string {
	return fmt.Sprintf("%v: le=%g has %g, less than the %g of le=%g",
		ErrNonMonotonic, e.Bound, e.Count, e.LowerBoundSum, e.LowerBound)
}

func (e *NonMonotonicError) Unwrap() error { return ErrNonMonotonic }

// smallDelta is the relative difference between neighbouring cumulative counts
// that is floating-point noise of the server's own sums. Prometheus ignores as
// much before it takes a quantile.
const smallDelta = 1e-12

// FromCumulative returns the classic histogram with the given ascending upper
// bounds in seconds and cumulative counts. The last bound is +Inf, or there is
// one count more than bounds, which is the +Inf bucket. Differences within
// float noise are smoothed; a real fall is a *NonMonotonicError.
func FromCumulative(bounds, cumulative []float64) (Histogram, error) {
	bounds, err := withInf(bounds, cumulative)
	if err != nil {
		return Histogram{}, err
	}
	h := Histogram{Scheme: Classic, Bins: make([]Bin, len(bounds))}
	lower, below := 0.0, 0.0
	if bounds[0] <= 0 {
		lower = math.Inf(-1)
	}
	for i, upper := range bounds {
		count := cumulative[i]
		switch {
		case math.IsNaN(count) || math.IsInf(count, 0) || count < 0:
			return Histogram{}, fmt.Errorf("%w: le=%g has %g", ErrBucketCount, upper, count)
		case i > 0 && withinNoise(below, count):
			count = below
		case count < below:
			return Histogram{}, &NonMonotonicError{Bound: upper, Count: count, LowerBound: lower, LowerBoundSum: below}
		}
		h.Bins[i] = Bin{Lower: lower, Upper: upper, Count: count - below}
		lower, below = upper, count
	}
	return h, nil
}

// withInf checks the bounds and returns them with the last one +Inf.
func withInf(bounds, cumulative []float64) ([]float64, error) {
	switch {
	case len(cumulative) == 0:
		return nil, ErrNoInfBucket
	case len(cumulative) == len(bounds)+1:
		bounds = append(bounds[:len(bounds):len(bounds)], math.Inf(1))
	case len(cumulative) != len(bounds):
		return nil, fmt.Errorf("%w: %d bounds and %d counts", ErrBucketBound, len(bounds), len(cumulative))
	case !math.IsInf(bounds[len(bounds)-1], 1):
		return nil, fmt.Errorf("%w: the highest is le=%g", ErrNoInfBucket, bounds[len(bounds)-1])
	}
	for i, bound := range bounds {
		if math.IsNaN(bound) || math.IsInf(bound, -1) {
			return nil, fmt.Errorf("%w: got %g", ErrBucketBound, bound)
		}
		if i > 0 && bound <= bounds[i-1] {
			return nil, fmt.Errorf("%w: %g follows %g", ErrBucketBound, bound, bounds[i-1])
		}
	}
	return bounds, nil
}

func withinNoise(a, b float64) bool {
	return a == b || a > 0 && b > 0 && math.Abs(a-b) < smallDelta*(a+b)
}
