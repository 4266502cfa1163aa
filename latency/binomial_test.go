package latency

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

func TestLimitsInvertTheBinomialTail(t *testing.T) {
	for _, n := range []float64{1, 3.5, 10, 299, 1000, 1e5, 1e7} {
		for _, share := range []float64{0.001, 0.01, 0.1, 0.5, 0.9, 0.999} {
			for _, confidence := range []float64{0.95, 0.995, 0.999, 0.99999} {
				k := share * n
				lower, upper := BinomialLower(k, n, confidence), BinomialUpper(k, n, confidence)
				if !(lower < share && share < upper) {
					t.Errorf("%g of %g: [%g, %g]", k, n, lower, upper)
				}
				if lower == 0 && k < 0.2 {
					continue // the limit is below the smallest number
				}
				if got := mathext.RegIncBeta(k, n-k+1, lower); !near(got, 1-confidence, 1e-6) {
					t.Errorf("%g of %g at %g: lower %g has %g below", k, n, confidence, lower, got)
				}
				if got := mathext.RegIncBeta(n-k, k+1, 1-upper); math.Abs(got-(1-confidence)) > 1e-4*(1-confidence) && 1-upper > 1e-12 {
					t.Errorf("%g of %g at %g: upper %g has %g above", k, n, confidence, upper, got)
				}
			}
		}
	}
}

func TestLimitsAtTheEdges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct{ k, n, confidence, lower, upper float64 }{
		"no trials":           {0, 0, 0.95, 0, 1},
		"negative trials":     {1, -5, 0.95, 0, 1},
		"k NaN":               {nan, 10, 0.95, 0, 1},
		"n NaN":               {1, nan, 0.95, 0, 1},
		"both infinite":       {inf, inf, 0.95, 0, 1},
		"confidence 1":        {1, 10, 1, 0, 1},
		"confidence NaN":      {1, 10, nan, 0, 1},
		"no hit":              {0, 100, 0.95, 0, 1 - math.Pow(0.05, 0.01)},
		"negative hits":       {-3, 100, 0.95, 0, 1 - math.Pow(0.05, 0.01)},
		"all hit":             {100, 100, 0.95, math.Pow(0.05, 0.01), 1},
		"more hits than that": {200, 100, 0.95, math.Pow(0.05, 0.01), 1},
	} {
		lower, upper := BinomialLower(c.k, c.n, c.confidence), BinomialUpper(c.k, c.n, c.confidence)
		if !near(lower, c.lower, 1e-12) || !near(upper, c.upper, 1e-12) {
			t.Errorf("%s: [%g, %g], want [%g, %g]", name, lower, upper, c.lower, c.upper)
		}
	}
}

func TestLimitsOfHugeCountsStayAroundTheShare(t *testing.T) {
	for _, n := range []float64{1e9, 1e12, 1e15, 1e300, math.Inf(1)} {
		for _, share := range []float64{0, 1e-12, 1e-6, 0.01, 0.5, 1} {
			k := share * min(n, math.MaxFloat64)
			lower, upper := BinomialLower(k, n, 0.995), BinomialUpper(k, n, 0.995)
			if math.IsInf(n, 1) {
				share = 0 // a finite k of infinitely many
			}
			if !(lower <= share && share <= upper) || upper-lower > 3e-4 {
				t.Errorf("%g of %g: [%g, %g]", k, n, lower, upper)
			}
		}
	}
}

func FuzzLimitsAreMonotone(f *testing.F) {
	f.Add(3.0, 100.0, 0.95)
	f.Add(0.3, 0.7, 0.99999)
	f.Add(1e-9, 1e15, 0.995)
	f.Add(999.5, 1000.0, 0.5)
	f.Fuzz(func(t *testing.T, k, n, confidence float64) {
		lower, upper := BinomialLower(k, n, confidence), BinomialUpper(k, n, confidence)
		if !(lower >= 0 && lower <= upper && upper <= 1) {
			t.Fatalf("%g of %g at %g: [%g, %g]", k, n, confidence, lower, upper)
		}
		// Well inside the domain, a hit more moves both limits up.
		if n >= 1 && n <= 1e6 && k >= 0 && k+1 <= n && confidence >= 0.5 && confidence <= 0.99999 {
			const slack = 1e-9
			if more := BinomialLower(k+1, n, confidence); more < lower-slack {
				t.Errorf("lower limit falls from %g to %g at %g + 1 of %g", lower, more, k, n)
			}
			if more := BinomialUpper(k+1, n, confidence); more < upper-slack {
				t.Errorf("upper limit falls from %g to %g at %g + 1 of %g", upper, more, k, n)
			}
		}
	})
}

func TestRuleOfThree(t *testing.T) {
	for _, c := range []struct {
		p    float64
		want int
	}{{0.01, 299}, {0.001, 2995}, {1, 0}, {2, 0}, {0, math.MaxInt}, {-1, math.MaxInt}, {1e-300, math.MaxInt}, {math.NaN(), math.MaxInt}} {
		if got := RuleOfThree(c.p, 0.95); got != c.want {
			t.Errorf("%g: %d, want %d", c.p, got, c.want)
		}
	}
	// The number it gives is just enough.
	for _, p := range []float64{0.5, 0.02, 0.003} {
		n := float64(RuleOfThree(p, 0.95))
		if BinomialUpper(0, n, 0.95) > p || BinomialUpper(0, n-1, 0.95) <= p {
			t.Errorf("%g of %g: %g", p, n, BinomialUpper(0, n, 0.95))
		}
	}
}

// The comparisons must say what the limits say, away from where both round.
func TestComparisonsAgreeWithTheLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		n := math.Floor(math.Pow(10, 6*r.Float64())) + r.Float64()
		k := math.Floor(n * math.Pow(r.Float64(), 4))
		if r.IntN(20) == 0 {
			k = 0
		}
		confidence := []float64{0.95, 0.995, 0.999, 0.99999}[r.IntN(4)]
		threshold := math.Pow(10, -4*r.Float64())
		lower, upper := BinomialLower(k, n, confidence), BinomialUpper(k, n, confidence)
		if math.Abs(lower-threshold) > 1e-9 && lowerExceeds(k, n, confidence, threshold) != (lower > threshold) {
			t.Fatalf("k %v n %v at %v: the lower limit %v against %v", k, n, confidence, lower, threshold)
		}
		if math.Abs(upper-threshold) > 1e-9 && upperBelow(k, n, confidence, threshold) != (upper < threshold) {
			t.Fatalf("k %v n %v at %v: the upper limit %v against %v", k, n, confidence, upper, threshold)
		}
	}
	for _, odd := range []float64{-1, 0, 1, 2} {
		for _, k := range []float64{0, 5, 10} {
			if got, want := lowerExceeds(k, 10, 0.95, odd), BinomialLower(k, 10, 0.95) > odd; got != want {
				t.Errorf("lower limit of %v of 10 against %v: %t", k, odd, got)
			}
			if got, want := upperBelow(k, 10, 0.95, odd), BinomialUpper(k, 10, 0.95) < odd; got != want {
				t.Errorf("upper limit of %v of 10 against %v: %t", k, odd, got)
			}
		}
	}
	if lowerExceeds(1, 0, 0.95, 0.5) || upperBelow(0, 0, 0.95, 0.5) {
		t.Error("without trials nothing is said")
	}
}
