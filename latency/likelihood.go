package latency

import "math"

// likelihood is the log likelihood of cell counts under a lognormal,
// Σ nᵢ·ln[Φ(h·ln bᵢ − α) − Φ(h·ln bᵢ₋₁ − α)] with α = mu/sigma and h =
// 1/sigma, in which it is concave. Values beyond a truncation were never
// recorded; +Inf is none, and with one the likelihood is no longer concave.
//
// Source of the concavity: Burridge, Journal of the Royal Statistical Society B
// 43 (1981), on grouped data; Pratt, JASA 76 (1981).
type likelihood struct {
	cells      []cell
	truncation float64 // in log seconds
	total      float64
}

func newLikelihood(cells []cell, truncation float64) likelihood {
	l := likelihood{cells: cells, truncation: truncation}
	for _, c := range cells {
		l.total += c.count
	}
	return l
}

// curve is the log likelihood at a point with its slope and the information,
// the negative of its second derivatives, in α and h.
type curve struct {
	value          float64
	slopeA, slopeH float64
	infoAA, infoHH float64
	infoAH         float64
}

// edge holds what neighbouring cells share about a bound: its log time x, its
// score z, the density there, and the tail on the side of z where it is small.
type edge struct {
	x, z, density, tail float64
}

func edgeAt(x, alpha, h float64) edge {
	if math.IsInf(x, 0) {
		return edge{z: x}
	}
	z := h*x - alpha
	return edge{x: x, z: z, density: normalDensity(z), tail: NormalSurvival(math.Abs(z))}
}

// at evaluates the likelihood. It does not allocate.
func (l likelihood) at(alpha, h float64) curve {
	var c curve
	last := edge{x: math.NaN()}
	lastBound := math.NaN()
	for _, bin := range l.cells {
		lower := last
		if bin.lower != lastBound {
			lower = edgeAt(bin.lower, alpha, h)
		}
		upper := edgeAt(bin.upper, alpha, h)
		c.add(bin.count, lower, upper)
		last, lastBound = upper, bin.upper
	}
	if !math.IsInf(l.truncation, 1) {
		c.truncate(l.total, edgeAt(l.truncation, alpha, h))
	}
	return c
}

// add adds n·ln P(cell) and its derivatives. With A = φ(z₁)/P and B = φ(z₀)/P
// the slopes in z₁ and z₀ are A and −B, the second derivatives −A(z₁ + A),
// B(z₀ − B) and across AB; z = h·x − α carries them over.
func (c *curve) add(n float64, lower, upper edge) {
	p := between(lower, upper)
	logP, a, b := 0.0, 0.0, 0.0
	if p > 0 {
		logP, a, b = math.Log(p), upper.density/p, lower.density/p
	} else {
		logP = logBetween(lower.z, upper.z)
		a, b = densityRatio(upper.z, logP), densityRatio(lower.z, logP)
	}
	c.value += n * logP
	c.slopeA += n * (b - a)
	c.slopeH += n * (a*upper.x - b*lower.x)
	aa, bb, ab := 0.0, 0.0, a*b
	if a > 0 {
		aa = a * (upper.z + a)
	}
	if b > 0 {
		bb = b * (b - lower.z)
	}
	c.infoAA += n * (aa + bb - 2*ab)
	c.infoHH += n * (aa*upper.x*upper.x + bb*lower.x*lower.x - 2*ab*upper.x*lower.x)
	c.infoAH -= n * (aa*upper.x + bb*lower.x - ab*(upper.x+lower.x))
}

// truncate conditions n values on lying below a bound: −n·ln Φ(z), of which the
// slope in z is −nλ with λ = φ/Φ, and the second derivative nλ(z + λ).
func (c *curve) truncate(n float64, bound edge) {
	logP := NormalLogSurvival(-bound.z)
	ratio := densityRatio(bound.z, logP)
	second := ratio * (bound.z + ratio)
	c.value -= n * logP
	c.slopeA += n * ratio
	c.slopeH -= n * ratio * bound.x
	c.infoAA -= n * second
	c.infoHH -= n * second * bound.x * bound.x
	c.infoAH += n * second * bound.x
}

// cancellation is the smallest share of a tail that a difference of tails may
// be before it has lost too many digits.
const cancellation = 1e-4

// between returns Φ(z₁) − Φ(z₀) from the tails on the side where they are
// small, or 0 where their difference cancels or underflows.
func between(lower, upper edge) float64 {
	if lower.z <= 0 && upper.z >= 0 {
		if p := 1 - lower.tail - upper.tail; p > cancellation {
			return p
		}
		return 0
	}
	larger, smaller := lower.tail, upper.tail
	if upper.z < 0 {
		larger, smaller = smaller, larger
	}
	if p := larger - smaller; p > cancellation*larger && larger > 1e-290 {
		return p
	}
	return 0
}

// logBetween returns ln[Φ(z₁) − Φ(z₀)] where between cannot.
func logBetween(lower, upper float64) float64 {
	switch {
	case lower <= 0 && upper >= 0: // a narrow cell across the median
		return math.Log(0.5*math.Erf(upper/math.Sqrt2) - 0.5*math.Erf(lower/math.Sqrt2))
	case upper < 0:
		lower, upper = -upper, -lower
	}
	near := NormalLogSurvival(lower)
	if math.IsInf(upper, 1) {
		return near
	}
	return near + math.Log(-math.Expm1(NormalLogSurvival(upper)-near))
}

// densityRatio returns φ(z)/P for P = exp(logP).
func densityRatio(z, logP float64) float64 {
	if math.IsInf(z, 0) {
		return 0
	}
	return math.Exp(-z*z/2-logP) / math.Sqrt(2*math.Pi)
}
