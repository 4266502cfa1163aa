package loop

import (
	"math"
	"sort"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// oneSided is the confidence of each limit: both together hold with 99.9%.
const oneSided = .9995

// Measure is one figure of a policy, measured and predicted.
type Measure struct {
	Measured, Predicted float64

	// Low and High are where Measured may lie: what was predicted with the
	// lateness of the run's clocks allowed for, and the sampling error at 99.9%.
	Low, High float64

	Inside bool // whether Measured lies there
}

func measure(measured, predicted, low, high float64) Measure {
	const rounding = 1e-12
	return Measure{
		Measured: measured, Predicted: predicted, Low: low, High: high,
		Inside: measured >= low-rounding && measured <= high+rounding,
	}
}

// shareLimits returns the smallest and the largest share of n that are possible
// when the true share lies between low and high: those whose Clopper–Pearson
// interval reaches that far.
func shareLimits(n int, low, high float64) (least, most float64) {
	trials := float64(n)
	first := sort.Search(n, func(k int) bool { return latency.BinomialUpper(float64(k), trials, oneSided) >= low })
	beyond := sort.Search(n+1, func(k int) bool { return latency.BinomialLower(float64(k), trials, oneSided) > high })
	return float64(first) / trials, float64(beyond-1) / trials
}

// sampled sums up what calls measured, one value each.
type sampled struct{ n, sum, squares float64 }

func (s *sampled) add(x float64) {
	s.n++
	s.sum += x
	s.squares += x * x
}

func (s sampled) mean() float64 { return s.sum / s.n }

func (s sampled) variance() float64 { return max(s.squares/s.n-s.mean()*s.mean(), 0) }

// error returns how far the mean may lie from the true one at 99.9%.
func (s sampled) error() float64 { return errorOfMean(s.variance(), s.n) }

// errorOfMean returns how far a mean of n values may lie from the true one at
// 99.9%, by the normal approximation.
func errorOfMean(variance, n float64) float64 {
	return latency.NormalSurvivalQuantile(1-oneSided) * math.Sqrt(variance/n)
}
