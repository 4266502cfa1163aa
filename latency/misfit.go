package latency

import "math"

// Misfit says how far a histogram is from a distribution, on the bounds.
type Misfit struct {
	KS float64 // largest difference of the shares above a bound

	// TailRatio is the largest empirical ÷ fitted share above a bound, over
	// bounds with at most 5% and at least 20 values above, and TailRatioAt that
	// bound in seconds. Both are 0 without such a bound.
	TailRatio, TailRatioAt float64

	// TailRatioLower is the same with the 99.9% lower Clopper–Pearson limit in
	// place of the empirical share: what is beyond chance.
	TailRatioLower float64
}

const (
	tailShare      = 0.05  // a bound belongs to the tail up to this share above it,
	tailCount      = 20    // from this count on
	tailConfidence = 0.999 // of the lower limit
	worstKS        = 0.01
	worstTailRatio = 1.25
)

// UnderstatesTail reports whether the fit puts less into the tail than the
// counts have beyond chance.
func (m Misfit) UnderstatesTail() bool { return m.TailRatioLower > worstTailRatio }

// Passes reports whether the fit may carry a headline figure (docs/model.md §4).
func (m Misfit) Passes() bool { return m.KS < worstKS && m.TailRatioLower < worstTailRatio }

// beyondChance reports whether the bins differ from the model by more than n
// independent values would, or than a fit may that carries a figure.
//
// Source of the limit: the 1% point of Kolmogorov's distribution, 1.63/√n,
// which binning only lowers.
func (m Misfit) beyondChance(n float64) bool {
	return m.KS >= max(worstKS, 1.63/math.Sqrt(n)) || m.UnderstatesTail()
}

// distribution is a Lognormal or a Mixture.
type distribution interface {
	Survival(t float64) float64
}

// misfit compares a histogram, whose counts vary by the dispersion d more than
// independent ones, with a distribution.
func misfit(h Histogram, model distribution, d float64) Misfit {
	var m Misfit
	total := h.Total()
	above := 0.0
	for i := len(h.Bins) - 1; i > 0; i-- {
		above += h.Bins[i].Count
		bound := h.Bins[i].Lower
		if bound <= 0 {
			continue
		}
		empirical, fitted := above/total, model.Survival(bound)
		m.KS = max(m.KS, math.Abs(empirical-fitted))
		if empirical > tailShare || above < tailCount {
			continue
		}
		if ratio := quotient(empirical, fitted); ratio > m.TailRatio {
			m.TailRatio, m.TailRatioAt = ratio, bound
		}
		hits, trials := math.Floor(above/d+countSlack), total/d
		if lowerExceeds(hits, trials, tailConfidence, m.TailRatioLower*fitted) { // else the search for it is in vain
			m.TailRatioLower = max(m.TailRatioLower, quotient(BinomialLower(hits, trials, tailConfidence), fitted))
		}
	}
	return m
}

// quotient returns a/b, the largest number where b is too small for it.
func quotient(a, b float64) float64 {
	return min(a/max(b, math.SmallestNonzeroFloat64), math.MaxFloat64)
}
