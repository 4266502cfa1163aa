package latency

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// BinomialLower returns the one-sided Clopper–Pearson lower limit of a share at
// the given confidence, after k of n trials hit. Both may be fractional, as
// counts over a dispersion are. Without trials it is 0.
//
// Source: Clopper and Pearson, Biometrika 26 (1934), in the beta form: the
// (1−confidence) quantile of Beta(k, n−k+1).
func BinomialLower(k, n, confidence float64) float64 {
	k, n, alpha, ok := trials(k, n, confidence)
	switch {
	case !ok || k <= 0:
		return 0
	case k >= n:
		return math.Pow(alpha, 1/n)
	}
	return min(betaQuantile(k, n-k+1, alpha), k/n)
}

// BinomialUpper returns the one-sided Clopper–Pearson upper limit: the
// confidence quantile of Beta(k+1, n−k). Without trials it is 1.
func BinomialUpper(k, n, confidence float64) float64 {
	k, n, alpha, ok := trials(k, n, confidence)
	switch {
	case !ok || k >= n:
		return 1
	case k <= 0:
		return -math.Expm1(math.Log(alpha) / n)
	}
	return max(1-betaQuantile(n-k, k+1, alpha), k/n)
}

// lowerExceeds reports whether BinomialLower exceeds a threshold. It evaluates the
// beta distribution once, where the limit itself has to be searched for.
func lowerExceeds(k, n, confidence, threshold float64) bool {
	k, n, alpha, ok := trials(k, n, confidence)
	switch {
	case !ok || k <= 0:
		return threshold < 0
	case threshold <= 0:
		return true
	case k/n <= threshold:
		return false
	case k >= n:
		return math.Pow(alpha, 1/n) > threshold
	}
	return mathext.RegIncBeta(k, n-k+1, threshold) < alpha
}

// upperBelow reports whether BinomialUpper is below a threshold.
func upperBelow(k, n, confidence, threshold float64) bool {
	k, n, alpha, ok := trials(k, n, confidence)
	switch {
	case !ok || k >= n:
		return threshold > 1
	case threshold > 1:
		return true
	case k/n >= threshold:
		return false
	case k <= 0:
		return -math.Expm1(math.Log(alpha)/n) < threshold
	}
	return mathext.RegIncBeta(n-k, k+1, 1-threshold) < alpha
}

// mostTrials is the n beyond which the incomplete beta function loses its
// digits. Larger counts are scaled down to it, which widens the limits by less
// than anything else about so many latencies is known.
const mostTrials = 1e9

// trials brings k into [0, n] and reports whether there is anything to say.
func trials(k, n, confidence float64) (hits, total, alpha float64, ok bool) {
	if math.IsNaN(k) || !(n > 0) || !(confidence > 0 && confidence < 1) {
		return 0, 0, 0, false
	}
	share := min(max(k/n, 0), 1)
	if math.IsNaN(share) {
		return 0, 0, 0, false // both infinite
	}
	if n > mostTrials {
		return share * mostTrials, mostTrials, 1 - confidence, true
	}
	return min(max(k, 0), n), n, 1 - confidence, true
}

func betaQuantile(a, b, y float64) float64 {
	return min(max(mathext.InvRegIncBeta(a, b, y), 0), 1)
}

// RuleOfThree returns the number of trials without a hit after which a share of
// p or more is ruled out at the given confidence: the smallest N with
// (1−p)^N ≤ 1−confidence, about 3/p at 95%. It is 0 for p of 1 or more, and the
// largest int where no number of trials suffices.
func RuleOfThree(p, confidence float64) int {
	if p >= 1 {
		return 0
	}
	n := math.Ceil(math.Log1p(-confidence) / math.Log1p(-p))
	if !(p > 0) || !(n < math.MaxInt) {
		return math.MaxInt
	}
	return int(n)
}
