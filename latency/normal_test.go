package latency

import (
	"math"
	"testing"
)

func TestNormalTailsAreSymmetricAndFall(t *testing.T) {
	last, lastLog := 1.0, 0.0
	for z := -40.0; z <= 40; z += 0.125 {
		survival, logSurvival := NormalSurvival(z), NormalLogSurvival(z)
		if sum := survival + NormalSurvival(-z); math.Abs(sum-1) > 1e-15 {
			t.Errorf("tails of %g add up to %v", z, sum)
		}
		if survival > last || logSurvival > lastLog {
			t.Errorf("the tail rises at %g", z)
		}
		if survival > 1e-300 && math.Abs(math.Log(survival)-logSurvival) > 1e-12*max(1, -logSurvival) {
			t.Errorf("log tail of %g is %v, want %v", z, logSurvival, math.Log(survival))
		}
		last, lastLog = survival, logSurvival
	}
}

func TestNormalQuantileAtTheEnds(t *testing.T) {
	for _, c := range []struct{ q, z float64 }{
		{0, math.Inf(1)},
		{1, math.Inf(-1)},
		{0.5, 0},
	} {
		if got := NormalSurvivalQuantile(c.q); got != c.z {
			t.Errorf("quantile of %g = %v, want %v", c.q, got, c.z)
		}
	}
	for _, q := range []float64{-1e-300, 1.0000001, math.NaN(), math.Inf(1)} {
		if got := NormalSurvivalQuantile(q); !math.IsNaN(got) {
			t.Errorf("quantile of %g = %v, want NaN", q, got)
		}
	}
	if z := NormalSurvivalQuantile(math.SmallestNonzeroFloat64); math.Abs(z-38.4674) > 1e-4 {
		t.Errorf("quantile of the smallest number = %v", z)
	}
}

func FuzzNormalQuantileInvertsTheTail(f *testing.F) {
	for _, q := range []float64{5e-324, 1e-300, 1e-17, 1e-16, 0.01, 0.1, 0.4999, 0.5, 0.9, 0.91, 0.99999999} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q float64) {
		if !(q > 0 && q < 1) {
			return
		}
		z := NormalSurvivalQuantile(q)
		back := math.Exp(NormalLogSurvival(z))
		// The relative error of the tail is z times the absolute one of z.
		if !near(back, q, 1e-15*(10+z*z)) && math.Abs(back-q) > 1e-323 {
			t.Errorf("q %g → z %g → %g", q, z, back)
		}
	})
}
