package latency

import "math"

// BinnedFit is the lognormal of greatest likelihood for bin counts
// (docs/model.md §3).
type BinnedFit struct {
	Lognormal
	N             float64 // values it was fitted to
	LogLikelihood float64

	// SEMu and SESigma are standard errors from the observed information, for
	// independent values; Covariance is that of α = mu/sigma and h = 1/sigma.
	SEMu, SESigma float64
	Covariance    Covariance

	Misfit Misfit // how far the bins are from it
}

// Covariance is that of two estimates, here α and h.
type Covariance struct {
	Alpha, H, AlphaH float64
}

const (
	widestSigma = 10    // beyond it a fit says nothing about a latency
	newtonSteps = 100   // about 4 are needed; the rest is for truncated data
	newtonDone  = 1e-10 // squared step in standard errors of a single value
)

// FitBinned fits one lognormal to all bins by maximum likelihood. The error is
// ErrNoEstimate or ErrTooWide.
func FitBinned(h Histogram) (BinnedFit, error) {
	fit, err := fitCells(h.cells(), math.Inf(1))
	if err != nil {
		return BinnedFit{}, err
	}
	fit.Misfit = misfit(h, fit.Lognormal, 1)
	return fit, nil
}

func fitCells(cells []cell, truncation float64) (BinnedFit, error) {
	if !estimable(cells) {
		return BinnedFit{}, ErrNoEstimate
	}
	l := newLikelihood(cells, truncation)
	alpha, h := l.start()
	alpha, h, c := l.climb(alpha, h)
	return l.fit(alpha, h, c)
}

// start returns α and h from the moments of the cells' log midpoints, an open
// cell counting as if it were as wide as its neighbours are on most layouts.
func (l likelihood) start() (alpha, h float64) {
	const openWidth = 1.0
	var mean, square float64
	for _, c := range l.cells {
		x := (c.lower + c.upper) / 2
		switch {
		case math.IsInf(c.lower, -1) && math.IsInf(c.upper, 1):
			x = 0
		case math.IsInf(c.lower, -1):
			x = c.upper - openWidth/2
		case math.IsInf(c.upper, 1):
			x = c.lower + openWidth/2
		}
		weight := c.count / l.total
		mean += weight * x
		square += weight * x * x
	}
	sigma := math.Sqrt(max(square-mean*mean, 1e-4))
	return mean / sigma, 1 / sigma
}

// climb runs damped Newton to the maximum. It does not allocate. Once a step is
// small against the standard error of a single value the next one would be its
// square, so the last is taken unseen.
func (l likelihood) climb(alpha, h float64) (float64, float64, curve) {
	c := l.at(alpha, h)
	for range newtonSteps {
		stepA, stepH := c.step()
		gain := c.slopeA*stepA + c.slopeH*stepH
		if !(gain > 0) {
			break
		}
		if last := h + stepH; gain < newtonDone*l.total && last > 0 {
			return alpha + stepA, last, l.at(alpha+stepA, last)
		}
		scale, next, ok := l.better(c, point{alpha, h}, point{stepA, stepH})
		if !ok {
			break
		}
		alpha, h, c = alpha+scale*stepA, h+scale*stepH, next
	}
	return alpha, h, c
}

// point is a place, or a step, in α and h.
type point struct{ alpha, h float64 }

// better halves a step until it leads upwards.
func (l likelihood) better(c curve, from, step point) (scale float64, next curve, ok bool) {
	for scale = 1; scale > 1e-9; scale /= 2 {
		if h := from.h + scale*step.h; h > 0 {
			if next = l.at(from.alpha+scale*step.alpha, h); next.value > c.value {
				return scale, next, true
			}
		}
	}
	return 0, c, false
}

// step returns the Newton step. Where a truncation makes the information
// indefinite its diagonal is raised until it is not.
func (c curve) step() (stepA, stepH float64) {
	aa, hh := c.infoAA, c.infoHH
	for ridge := 1e-6; ridge < 1e12; ridge *= 10 {
		det := aa*hh - c.infoAH*c.infoAH
		if aa > 0 && hh > 0 && det > 1e-13*aa*hh {
			return (hh*c.slopeA - c.infoAH*c.slopeH) / det, (aa*c.slopeH - c.infoAH*c.slopeA) / det
		}
		aa = c.infoAA + ridge*(math.Abs(c.infoAA)+1)
		hh = c.infoHH + ridge*(math.Abs(c.infoHH)+1)
	}
	return 0, 0
}

// fit carries the maximum and its curvature over to mu and sigma by the delta
// method: mu = α/h, sigma = 1/h.
func (l likelihood) fit(alpha, h float64, c curve) (BinnedFit, error) {
	sigma := 1 / h
	if !(sigma <= widestSigma) {
		return BinnedFit{}, ErrTooWide
	}
	det := c.infoAA*c.infoHH - c.infoAH*c.infoAH
	if !(det > 0) || !(c.infoAA > 0) || math.IsInf(det, 1) {
		return BinnedFit{}, ErrNoEstimate
	}
	v := Covariance{Alpha: c.infoHH / det, H: c.infoAA / det, AlphaH: -c.infoAH / det}
	mu := alpha / h
	varMu := (v.Alpha - 2*mu*v.AlphaH + mu*mu*v.H) * sigma * sigma
	return BinnedFit{
		Lognormal:     Lognormal{Mu: mu, Sigma: sigma},
		N:             l.total,
		LogLikelihood: c.value,
		SEMu:          math.Sqrt(max(varMu, 0)),
		SESigma:       math.Sqrt(v.H) * sigma * sigma,
		Covariance:    v,
	}, nil
}

// SurvivalUpper returns the one-sided upper limit of P(X > t) at the given
// confidence, for counts that vary by the dispersion d more than independent
// ones: z = h·ln t − α is about normal, with the variance that Covariance gives
// it, times d.
func (f BinnedFit) SurvivalUpper(t, confidence, d float64) float64 {
	return f.survivalLimit(t, NormalSurvivalQuantile(1-confidence), d)
}

// SurvivalLower returns the one-sided lower limit.
func (f BinnedFit) SurvivalLower(t, confidence, d float64) float64 {
	return f.survivalLimit(t, -NormalSurvivalQuantile(1-confidence), d)
}

func (f BinnedFit) survivalLimit(t, errors, d float64) float64 {
	x := logBound(t)
	if math.IsInf(x, 0) {
		return f.Survival(t)
	}
	v := f.Covariance
	variance := (v.Alpha - 2*x*v.AlphaH + x*x*v.H) * max(d, 1)
	return NormalSurvival(f.score(t) - errors*math.Sqrt(max(variance, 0)))
}

// LogP99StandardError returns the standard error of ln p99 as read off n values
// of a lognormal: sigma·√(q(1−q)/n)/φ(z) with q = 0.01, about 3.733·sigma/√n.
//
// Source: the asymptotic variance of a sample quantile, q(1−q)/(n·f²), for
// example in Serfling, Approximation Theorems of Mathematical Statistics, §2.3.
func LogP99StandardError(sigma, n float64) float64 {
	const q = 0.01
	return sigma * math.Sqrt(q*(1-q)/n) / normalDensity(NormalSurvivalQuantile(q))
}
