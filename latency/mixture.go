package latency

import (
	"errors"
	"math"
)

// ErrNoMixture says that a histogram is too coarse or too small for a second
// component to mean anything.
var ErrNoMixture = errors.New("two components need 6 bins of 5 values and 500 values in all")

// Mixture is two lognormals fitted to bin counts by maximum likelihood: a share
// Weight of all values from Second, the slower one, the rest from First.
type Mixture struct {
	First, Second Lognormal
	Weight        float64
	N             float64
	LogLikelihood float64
}

const (
	narrowestSigma = 0.02 // narrower components fit single bins
	mixtureBins    = 6
	mixtureCount   = 5
	mixtureTotal   = 500
)

// Survival returns P(X > t).
func (m Mixture) Survival(t float64) float64 {
	return (1-m.Weight)*m.First.Survival(t) + m.Weight*m.Second.Survival(t)
}

// Chosen reports whether the mixture is worth its three parameters more than a
// single fit: 2Δ ln L − 3·ln N > 10, and at least 30 values in either component.
func (m Mixture) Chosen(single BinnedFit) bool {
	gain := 2*(m.LogLikelihood-single.LogLikelihood) - 3*math.Log(m.N)
	return gain > 10 && min(m.Weight, 1-m.Weight)*m.N >= 30
}

// Separated reports whether the components are two modes rather than a bent
// single one: their medians are more than 1.5·(s₁+s₂) apart in log time.
func (m Mixture) Separated() bool {
	return m.Second.Mu-m.First.Mu > 1.5*(m.First.Sigma+m.Second.Sigma)
}

// FitMixture fits two lognormals by EM on the bins from seven starts, and
// finishes the best of them by damped Gauss–Newton steps.
//
// Source: Dempster, Laird and Rubin, JRSS B 39 (1977), §4.3 for grouped data;
// the finish is Berndt, Hall, Hall and Hausman, Annals of Economic and Social
// Measurement 3 (1974).
func FitMixture(h Histogram) (Mixture, error) {
	cells := h.cells()
	full, total := 0, 0.0
	for _, c := range cells {
		total += c.count
		if c.count >= mixtureCount {
			full++
		}
	}
	if full < mixtureBins || total < mixtureTotal {
		return Mixture{}, ErrNoMixture
	}
	best := math.Inf(-1)
	var found Mixture
	// The share of the slower component that a search starts from.
	for _, share := range [...]float64{0.7, 0.5, 0.3, 0.15, 0.07, 0.03, 0.01} {
		m, ok := splitStart(cells, total, share)
		if !ok {
			continue
		}
		for range 12 {
			m.expectationMaximization(cells, total)
		}
		if value := m.logLikelihood(cells); value > best {
			best, found = value, m
		}
	}
	if math.IsInf(best, -1) {
		return Mixture{}, ErrNoMixture
	}
	found.polish(cells, total)
	if found.First.Mu > found.Second.Mu {
		found.First, found.Second, found.Weight = found.Second, found.First, 1-found.Weight
	}
	found.N = total
	return found, nil
}
