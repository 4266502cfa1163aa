package latency

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestNoFitWhereTheBinsAreTooFew(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		bins []Bin
		want error
	}{
		"no bin":            {nil, ErrNoEstimate},
		"all zero":          {[]Bin{{0, 1, 0}, {1, 2, 0}}, ErrNoEstimate},
		"one bin":           {[]Bin{{1, 2, 5}}, ErrNoEstimate},
		"two adjacent bins": {[]Bin{{1, 2, 5}, {2, 3, 5}}, ErrNoEstimate},
		"both end bins":     {[]Bin{{0, 1, 5}, {1, 2, 0}, {2, inf, 5}}, ErrNoEstimate},
		"nearly so":         {[]Bin{{0, 1e-12, 5}, {1e-12, 1e-11, 1}, {1e12, inf, 5}}, ErrTooWide},
		"a gap between two": {[]Bin{{1, 2, 5}, {3, 4, 5}}, nil},
		"three in a row":    {[]Bin{{1, 2, 5}, {2, 3, 5}, {3, 4, 1}}, nil},
		"values at zero":    {[]Bin{{-1, 0, 5}, {1, 2, 5}, {2, 3, 5}, {3, 4, 1}}, nil},
	} {
		fit, err := FitBinned(Histogram{Bins: c.bins})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err == nil && !(fit.Sigma > 0 && fit.SEMu > 0 && fit.SESigma > 0) {
			t.Errorf("%s: %+v", name, fit)
		}
	}
}

// Twelve to a hundred bins, narrow and far out in a tail: the maximum must be
// one, wherever Newton starts.
func TestFitIsAMaximum(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		median, sigma := math.Exp(2*r.NormFloat64()), 0.05+2*r.Float64()
		bounds := logBounds(median*math.Exp(-4*r.Float64()), median*math.Exp(5*r.Float64()), 3+r.IntN(100))
		e := experiment{bounds: bounds, shape: lognormal(median, sigma), cut: cutNothing, n: 100 + r.IntN(2000)}
		h, err := e.window(r).Merged()
		if err != nil {
			t.Fatal(err)
		}
		fit, err := FitBinned(h)
		if err != nil {
			continue // the draw left too few bins
		}
		l := newLikelihood(h.cells(), math.Inf(1))
		for _, by := range [][2]float64{{1e-3, 0}, {-1e-3, 0}, {0, 1e-3}, {0, -1e-3}, {1e-3, 1e-3}} {
			moved := Lognormal{Mu: fit.Mu + by[0]*fit.Sigma, Sigma: fit.Sigma * (1 + by[1])}
			if c := l.at(moved.Mu/moved.Sigma, 1/moved.Sigma); c.value > fit.LogLikelihood+1e-9*math.Abs(fit.LogLikelihood) {
				t.Fatalf("%v is likelier than %v for %v", moved, fit.Lognormal, h.Bins)
			}
		}
	}
}

// The likelihood's slope and curvature against differences of it, in ordinary,
// narrow and far cells, truncated and not.
func TestDerivativesMatchDifferences(t *testing.T) {
	inf := math.Inf(1)
	for name, l := range map[string]likelihood{
		"ordinary":  newLikelihood([]cell{{-inf, -1, 3}, {-1, 0, 5}, {0, 2, 4}, {2, inf, 1}}, inf),
		"narrow":    newLikelihood([]cell{{-.001, .001, 3}, {1, 1.0001, 5}, {-2, -1.999, 2}}, inf),
		"far":       newLikelihood([]cell{{6, 7, 1}, {-9, -8, 1}, {0, 1, 5}, {12, inf, 1}}, inf),
		"truncated": newLikelihood([]cell{{-inf, -1, 3}, {-1, 0, 5}, {0, 1, 4}}, 1),
	} {
		t.Run(name, func(t *testing.T) {
			const alpha, h, eps = 0.3, 0.9, 1e-5
			c := l.at(alpha, h)
			slopeA := (l.at(alpha+eps, h).value - l.at(alpha-eps, h).value) / (2 * eps)
			slopeH := (l.at(alpha, h+eps).value - l.at(alpha, h-eps).value) / (2 * eps)
			infoAA := -(l.at(alpha+eps, h).slopeA - l.at(alpha-eps, h).slopeA) / (2 * eps)
			infoAH := -(l.at(alpha, h+eps).slopeA - l.at(alpha, h-eps).slopeA) / (2 * eps)
			infoHH := -(l.at(alpha, h+eps).slopeH - l.at(alpha, h-eps).slopeH) / (2 * eps)
			for what, pair := range map[string][2]float64{
				"slope in α": {c.slopeA, slopeA}, "slope in h": {c.slopeH, slopeH},
				"info αα": {c.infoAA, infoAA}, "info αh": {c.infoAH, infoAH}, "info hh": {c.infoHH, infoHH},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-5*(1+math.Abs(pair[1])) {
					t.Errorf("%s = %v, differences say %v", what, pair[0], pair[1])
				}
			}
		})
	}
}

// A limit at 95% must hold about 95 times in 100. The seed is fixed; a standard
// error off by a third would move the count out of [90, 99].
func TestSurvivalLimitsCover(t *testing.T) {
	const timeout, runs = 0.7, 400
	for name, fit := range map[string]func(Histogram) (BinnedFit, error){
		"all bins":  FitBinned,
		"censored":  func(h Histogram) (BinnedFit, error) { return FitCensored(h, timeout) },
		"truncated": func(h Histogram) (BinnedFit, error) { return FitTruncated(h, timeout) },
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, 12))
			cutting := cutNothing
			if name == "truncated" {
				cutting = cutDropped
			}
			e := experiment{bounds: layoutLog20, shape: lognormal(.2, .8), cut: cutting, timeout: timeout, n: 2000}
			truth := e.shape.survival(timeout)
			below, beyond, fitted := 0, 0, 0
			for range runs {
				h, err := e.window(r).Merged()
				if err != nil {
					t.Fatal(err)
				}
				f, err := fit(h)
				if err != nil {
					continue
				}
				fitted++
				below += btoi(truth <= f.SurvivalUpper(timeout, 0.95, 1))
				beyond += btoi(truth >= f.SurvivalLower(timeout, 0.95, 1))
			}
			if fitted < runs-5 {
				t.Errorf("only %d of %d fitted", fitted, runs)
			}
			for what, held := range map[string]int{"upper": below, "lower": beyond} {
				if share := float64(held) / float64(fitted); share < 0.90 || share > 0.99 {
					t.Errorf("the %s limit holds in %.1f%%, want about 95%%", what, 100*share)
				}
			}
		})
	}
}

func TestDispersionWidensLimits(t *testing.T) {
	fit, err := FitBinned(twentyBins(t))
	if err != nil {
		t.Fatal(err)
	}
	p := fit.Survival(.2)
	narrow, wide := fit.SurvivalUpper(.2, .95, 1), fit.SurvivalUpper(.2, .95, 9)
	if !(p < narrow && narrow < wide) || !(fit.SurvivalLower(.2, .95, 1) < p) {
		t.Errorf("p %g, limits %g and %g", p, narrow, wide)
	}
	if fit.SurvivalUpper(0, .95, 1) != 1 || fit.SurvivalUpper(math.Inf(1), .95, 1) != 0 {
		t.Error("nothing lies below 0 or beyond infinity")
	}
}

func FuzzFits(f *testing.F) {
	f.Add(0.001, 2.0, 0.7, 3.0, 5.0, 9.0, 2.0, 1.0)
	f.Add(1e-300, 1e10, 1.0, 1e15, 1e-15, 1.0, 0.0, 7.0)
	f.Add(1.0, 1.0000001, 1.0000002, 1.0, 2.0, 1.0, 0.5, 0.0)
	f.Fuzz(func(t *testing.T, first, ratio, timeout, a, b, c, d, e float64) {
		h := Histogram{Scheme: Exponential}
		lower := first
		for _, count := range []float64{a, b, c, d, e, c, b, a} {
			h.Bins = append(h.Bins, Bin{lower, lower * ratio, count})
			lower *= ratio
		}
		if !h.sound() || !(first > 0) || math.IsInf(lower, 0) {
			return
		}
		for name, fit := range map[string]func() (BinnedFit, error){
			"all bins":      func() (BinnedFit, error) { return FitBinned(h) },
			"censored":      func() (BinnedFit, error) { return FitCensored(h, timeout) },
			"truncated":     func() (BinnedFit, error) { return FitTruncated(h, timeout) },
			"with timeouts": func() (BinnedFit, error) { return FitWithTimeouts(h, timeout, max(a, 0)) },
		} {
			got, err := fit()
			if err != nil {
				continue
			}
			p, upper := got.Survival(timeout), got.SurvivalUpper(timeout, .95, 1)
			if !(got.Sigma > 0 && got.Sigma <= widestSigma) || math.IsNaN(got.Mu) || !(0 <= p && p <= upper && upper <= 1) {
				t.Errorf("%s: %+v, p = %g up to %g, for %v", name, got, p, upper, h)
			}
		}
		if pair, err := FitMixture(h); err == nil {
			if p := pair.Survival(timeout); !(p >= 0 && p <= 1) || math.IsNaN(pair.LogLikelihood) {
				t.Errorf("%+v, p = %g, for %v", pair, p, h)
			}
		}
	})
}
