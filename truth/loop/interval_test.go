package loop

import (
	"fmt"
	"math"
	"testing"
)

// probability of k of n at share p.
func probability(k, n int, p float64) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return math.Exp(lg(n) - lg(k) - lg(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

func TestShareLimitsHoldBackNoMoreThanTheySay(t *testing.T) {
	for _, n := range []int{200, 1000, 5000} {
		for _, p := range []float64{.0005, .007, .1, .5, .97} {
			t.Run(fmt.Sprintf("%v of %d", p, n), func(t *testing.T) {
				least, most := shareLimits(n, p, p)
				first, last := int(math.Round(least*float64(n))), int(math.Round(most*float64(n)))
				below, above := 0.0, 0.0
				for k := range n + 1 {
					switch {
					case k < first:
						below += probability(k, n, p)
					case k > last:
						above += probability(k, n, p)
					}
				}
				if below > 1-oneSided || above > 1-oneSided {
					t.Errorf("%d to %d leave %v below and %v above", first, last, below, above)
				}
				// Limits that are as wide as they need be: one step further in is too far.
				if first > 0 && below+probability(first, n, p) <= 1-oneSided {
					t.Errorf("from %d on is wider than it need be", first)
				}
				if last < n && above+probability(last, n, p) <= 1-oneSided {
					t.Errorf("up to %d is wider than it need be", last)
				}
			})
		}
	}
}

func TestShareLimitsAtTheEnds(t *testing.T) {
	if least, most := shareLimits(1000, 0, 0); least != 0 || most != 0 {
		t.Errorf("%v to %v of nothing", least, most)
	}
	if least, most := shareLimits(1000, 1, 1); least != 1 || most != 1 {
		t.Errorf("%v to %v of all", least, most)
	}
}

func TestMeanAndItsError(t *testing.T) {
	var s sampled
	for i := range 1000 {
		s.add(float64(i % 2)) // variance ¼
	}
	// z at 99.95% is 3.2905267.
	if !near(s.mean(), .5) || math.Abs(s.error()-3.2905267*.5/math.Sqrt(1000)) > 1e-6 {
		t.Errorf("mean %v ± %v", s.mean(), s.error())
	}
	var constant sampled
	for range 1000 {
		constant.add(.1)
	}
	if constant.error() > 1e-8 {
		t.Errorf("a constant is ± %v", constant.error())
	}
}

func TestMeasureLiesInsideOrNot(t *testing.T) {
	for measured, want := range map[float64]bool{.09: false, .1: true, .15: true, .2: true, .21: false, math.NaN(): false} {
		if got := measure(measured, .15, .1, .2); got.Inside != want {
			t.Errorf("%v in %v to %v: %v", got.Measured, got.Low, got.High, got.Inside)
		}
	}
}
