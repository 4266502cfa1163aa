package retry

import "math"

// WorstCaseChain returns, for each layer or hop from the outermost to the
// innermost, how many attempts one call causes there when everything fails: the
// product of the attempts up to it. Every layer that retries multiplies the
// ones below.
//
// Source: B. Beyer et al. (eds.), "Site Reliability Engineering", O'Reilly,
// 2016, ch. 22, "Addressing Cascading Failures".
func WorstCaseChain(attempts []int) []float64 {
	factors := make([]float64, len(attempts))
	for i, n := range attempts {
		factors[i] = float64(max(n, 1))
	}
	return products(factors)
}

// ExpectedChain returns the same for expected attempts per call (see
// Amplification), taking the hops' outcomes as independent. Factors below 1 or
// not a number count as 1.
func ExpectedChain(amplifications []float64) []float64 {
	factors := make([]float64, len(amplifications))
	for i, a := range amplifications {
		factors[i] = 1
		if a > 1 {
			factors[i] = a
		}
	}
	return products(factors)
}

func products(factors []float64) []float64 {
	product := 1.0
	for i, factor := range factors {
		product = min(product*factor, math.MaxFloat64)
		factors[i] = product
	}
	return factors
}

// FanOut returns the probability that at least one of k independent calls fails
// when each does with probability p: 1 − (1−p)ᵏ. Dean and Barroso 2013.
func FanOut(p float64, k int) float64 {
	if p = ratio(p); k < 1 || p == 0 {
		return 0
	}
	return -math.Expm1(float64(k) * math.Log1p(-p))
}

// FanOutTail returns the upper tail of one call's latency that matters to a
// caller of k in parallel: the slowest of k exceeds the latency of this tail
// with the given probability. For the p99 of three calls, FanOutTail(0.01, 3)
// is 1 − 0.99^(1/3).
func FanOutTail(tail float64, k int) float64 {
	if tail = ratio(tail); tail == 0 {
		return 0
	}
	return -math.Expm1(math.Log1p(-tail) / float64(max(k, 1)))
}
