package latency

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestFitQuantilesSaysWhatIsWrong(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		points []QuantilePoint
		want   error
	}{
		"none":                    {nil, ErrTooFewQuantiles},
		"one":                     {[]QuantilePoint{{0.5, 1}}, ErrTooFewQuantiles},
		"twice the same rank":     {[]QuantilePoint{{0.5, 1}, {0.5, 1}}, ErrTooFewQuantiles},
		"rank 0":                  {[]QuantilePoint{{0, 1}, {0.5, 2}}, ErrQuantileRank},
		"rank 1":                  {[]QuantilePoint{{0.5, 1}, {1, 2}}, ErrQuantileRank},
		"rank NaN":                {[]QuantilePoint{{0.5, 1}, {nan, 2}}, ErrQuantileRank},
		"NaN":                     {[]QuantilePoint{{0.5, nan}, {0.99, 2}}, ErrNaNQuantile},
		"infinite":                {[]QuantilePoint{{0.5, 1}, {0.99, inf}}, ErrInfiniteQuantile},
		"zero":                    {[]QuantilePoint{{0.5, 0}, {0.99, 2}}, ErrNonPositiveQuantile},
		"negative infinite":       {[]QuantilePoint{{0.5, -inf}, {0.99, 2}}, ErrNonPositiveQuantile},
		"falling":                 {[]QuantilePoint{{0.5, 2}, {0.99, 1}}, ErrNonMonotonicQuantiles},
		"falling, given in a mix": {[]QuantilePoint{{0.99, 1}, {0.5, 2}, {0.9, 3}}, ErrNonMonotonicQuantiles},
	} {
		if _, err := FitQuantiles(c.points...); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestFitQuantilesTakesPointsInAnyOrder(t *testing.T) {
	a, errA := FitQuantiles(QuantilePoint{0.5, 0.18}, QuantilePoint{0.99, 1.4})
	b, errB := FitQuantiles(QuantilePoint{0.99, 1.4}, QuantilePoint{0.5, 0.18})
	if errA != nil || errB != nil || a != b {
		t.Errorf("%v %v and %v %v", a, errA, b, errB)
	}
}

func TestPointMassIsSharp(t *testing.T) {
	l, err := FitQuantiles(QuantilePoint{0.5, 0.1}, QuantilePoint{0.99, 0.1})
	if err != nil || !l.PointMass() {
		t.Fatalf("%v %v, want a point mass", l, err)
	}
	if l.Survival(0.1) != 0 || l.Survival(0.0999) != 1 {
		t.Error("X > t must be false at t itself and true just below")
	}
	if got := l.Quantile(0.001); !near(got, 0.1, 1e-15) {
		t.Errorf("quantile %v", got)
	}
	if got := l.LimitedMean(0.05); got != 0.05 {
		t.Errorf("mean cut at 0.05 is %v", got)
	}
}

func TestMethodsHoldForAnyLognormal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		l := Lognormal{Mu: 4 * r.NormFloat64(), Sigma: 3*r.Float64() + 1e-3}
		at := math.Exp(l.Mu + l.Sigma*3*r.NormFloat64())
		longer := at * (1 + r.Float64())
		if l.Survival(longer) > l.Survival(at) {
			t.Fatalf("%v: a longer timeout raises p at %g", l, at)
		}
		if tail := l.Survival(at); tail > 1e-300 && tail < 0.99 && !near(l.Quantile(tail), at, 1e-9) {
			t.Fatalf("%v: the quantile of the tail of %g is %g", l, at, l.Quantile(tail))
		}
		mean, whole := l.LimitedMean(at), l.LimitedMean(math.Inf(1))
		if mean > at*(1+1e-12) || mean > whole*(1+1e-9) || mean < 0 {
			t.Fatalf("%v: mean %g cut at %g, %g uncut", l, mean, at, whole)
		}
		if below, p := l.MeanBelow(at), l.Survival(at); p < 0.99 && !near(below*(1-p)+at*p, mean, 1e-9) || below > at || below < 0 {
			t.Fatalf("%v: mean %g of those below %g, cut there %g", l, below, at, mean)
		}
		if !near(whole, math.Exp(l.Mu+l.Sigma*l.Sigma/2), 1e-12) {
			t.Fatalf("%v: mean %g", l, whole)
		}
	}
}

func FuzzFitQuantiles(f *testing.F) {
	f.Add(0.5, 0.18, 0.99, 1.4, 2.0)
	f.Add(0.5, 1.0, 0.99, 1.0, 1.0)
	f.Add(0.5, 1e-308, 0.5000000001, 1e308, 1.0)
	f.Add(math.NaN(), -1.0, 2.0, math.Inf(1), 0.0)
	f.Fuzz(func(t *testing.T, p1, q1, p2, q2, timeout float64) {
		l, err := FitQuantiles(QuantilePoint{p1, q1}, QuantilePoint{p2, q2})
		if err != nil {
			return
		}
		if math.IsNaN(l.Mu) || math.IsNaN(l.Sigma) || l.Sigma < 0 {
			t.Fatalf("%v through (%g, %g) and (%g, %g)", l, p1, q1, p2, q2)
		}
		p, err := l.FalseTimeoutRatio(timeout)
		if err == nil && !(p >= 0 && p <= 1) {
			t.Fatalf("p = %v at %g for %v", p, timeout, l)
		}
		if mean := l.LimitedMean(timeout); math.IsNaN(mean) || mean < 0 {
			t.Fatalf("mean %v cut at %g for %v", mean, timeout, l)
		}
		if mean := l.MeanBelow(timeout); math.IsNaN(mean) || mean < 0 || timeout > 0 && mean > timeout {
			t.Fatalf("mean %v below %g for %v", mean, timeout, l)
		}
	})
}
