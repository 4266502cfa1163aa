package latency

import "math"

// NormalSurvival returns P(Z > z) for a standard normal Z. It is computed from
// the complementary error function, so a deep upper tail keeps its relative
// precision: 1 − CDF would round to zero beyond z = 8.
func NormalSurvival(z float64) float64 {
	return 0.5 * math.Erfc(z/math.Sqrt2)
}

// seriesFrom is the z from which the asymptotic series of the Mills ratio holds
// to double precision: its smallest term is about exp(−z²/2).
const seriesFrom = 12

// NormalLogSurvival returns ln P(Z > z) without the underflow of the tail
// itself, which ends near z = 38.
//
// Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.12.
func NormalLogSurvival(z float64) float64 {
	switch {
	case z < 0:
		return math.Log1p(-NormalSurvival(-z))
	case z < seriesFrom:
		return math.Log(NormalSurvival(z))
	case math.IsInf(z, 1):
		return math.Inf(-1)
	}
	return -z*z/2 - math.Log(z*math.Sqrt(2*math.Pi)) + math.Log1p(millsSeries(z))
}

// millsSeries returns z·Q(z)/φ(z) − 1 = −1/z² + 3/z⁴ − 15/z⁶ + … for z ≥ seriesFrom.
func millsSeries(z float64) float64 {
	square := z * z
	sum, term := 0.0, 1.0
	for n := 1.0; ; n++ {
		term *= -(2*n - 1) / square
		sum += term
		if math.Abs(term) < 1e-17 || 2*n > square {
			return sum
		}
	}
}

// normalDensity returns the standard normal density at z.
func normalDensity(z float64) float64 {
	return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
}

// normalHazard returns φ(z)/P(Z > z), which grows like z in the upper tail.
func normalHazard(z float64) float64 {
	if z < seriesFrom {
		return normalDensity(z) / NormalSurvival(z)
	}
	return z / (1 + millsSeries(z))
}

// NormalSurvivalQuantile returns the z with P(Z > z) = q. It is +Inf at q = 0,
// −Inf at q = 1 and NaN outside [0, 1]. It holds down to the smallest double,
// where math.Erfcinv already fails below 1e-16.
//
// Source of the starting value: Abramowitz and Stegun, 26.2.23, good to
// 4.5e-4; Newton's method on the log tail does the rest.
func NormalSurvivalQuantile(q float64) float64 {
	switch {
	case math.IsNaN(q) || q < 0 || q > 1:
		return math.NaN()
	case q == 0:
		return math.Inf(1)
	case q == 1:
		return math.Inf(-1)
	case q > 0.9:
		return -NormalSurvivalQuantile(1 - q)
	case q >= 0.1:
		return math.Sqrt2 * math.Erfinv(1-2*q)
	}
	target := logOf(q)
	t := math.Sqrt(-2 * target)
	z := t - (2.515517+t*(0.802853+t*0.010328))/(1+t*(1.432788+t*(0.189269+t*0.001308)))
	for range 8 {
		step := (NormalLogSurvival(z) - target) / normalHazard(z)
		z += step
		if math.Abs(step) <= 1e-15*z {
			break
		}
	}
	return z
}

// logOf returns ln q also for numbers below the smallest normal one, where
// math.Log is wrong on some machines.
func logOf(q float64) float64 {
	fraction, exponent := math.Frexp(q)
	return math.Log(fraction) + float64(exponent)*math.Ln2
}
