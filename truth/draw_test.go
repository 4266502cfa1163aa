package main

import (
	"math"
	"testing"
)

// Fixed seeds. Pearson's chi-square against the exact probabilities: a draw that
// is off by a fraction of its deviation exceeds the limit, the 99.9% point.
func TestBinomialHasItsDistribution(t *testing.T) {
	for _, c := range []struct{ n, p float64 }{{20, .3}, {1000, .002}, {1000, .0099}, {1000, .011}, {5000, .03}, {300, .5}, {50, .9}, {1e6, 2e-5}} {
		r := generator("binomial test")
		const draws = 20_000
		seen := map[float64]float64{}
		for range draws {
			seen[binomial(r, c.n, c.p)]++
		}
		square, cells, expected, observed := 0.0, 0.0, 0.0, 0.0
		for k := 0.0; k <= min(c.n, c.n*c.p+100); k++ {
			log := logFactorial(c.n) - logFactorial(k) - logFactorial(c.n-k) + k*math.Log(c.p) + (c.n-k)*math.Log1p(-c.p)
			expected += draws * math.Exp(log)
			observed += seen[k]
			if expected >= 10 {
				square += (observed - expected) * (observed - expected) / expected
				cells++
				expected, observed = 0, 0
			}
		}
		// Wilson and Hilferty's approximation of the quantile.
		limit := cells * math.Pow(1-2/(9*cells)+3.09*math.Sqrt(2/(9*cells)), 3)
		if !(square < limit) {
			t.Errorf("n = %g, p = %g: chi-square %.1f over %g cells, want below %.1f", c.n, c.p, square, cells, limit)
		}
	}
}

func TestBinomialAtItsEdges(t *testing.T) {
	r := generator("edges")
	for _, c := range []struct{ n, p, want float64 }{{0, .5, 0}, {10, 0, 0}, {10, 1, 10}, {10, math.NaN(), 0}, {10, 1.5, 10}} {
		if got := binomial(r, c.n, c.p); got != c.want {
			t.Errorf("n = %g, p = %g: %g, want %g", c.n, c.p, got, c.want)
		}
	}
}

func TestMultinomialFillsTheBinsOfTheShares(t *testing.T) {
	const n = 1e6
	counts := multinomial(generator("multinomial"), n, []float64{1, .9, .9, .2, 0})
	want := []float64{0, .1, 0, .7, .2, 0}
	total := 0.0
	for i, count := range counts {
		total += count
		if math.Abs(count-n*want[i]) > 4*math.Sqrt(n*want[i]) {
			t.Errorf("bin %d: %g, want about %g", i, count, n*want[i])
		}
	}
	if total != n {
		t.Errorf("%g values in all, want %g", total, n)
	}
}

func TestSameNameDrawsTheSame(t *testing.T) {
	a, b, c := generator("a").Uint64(), generator("a").Uint64(), generator("b").Uint64()
	if a != b || a == c {
		t.Errorf("%x, %x and %x", a, b, c)
	}
}
