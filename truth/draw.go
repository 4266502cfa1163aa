package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// seed is the first half of every generator's seed. The second is a name, so
// that a case draws the same whichever cases run beside it.
const seed = 20260301

func generator(name string) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, hash.Sum64()))
}

// multinomial draws how n values fall into the bins between bounds, above[i]
// being the share of values above bound i: one conditional binomial per bin, so
// that a million values cost no more than twenty draws.
func multinomial(r *rand.Rand, n float64, above []float64) []float64 {
	counts := make([]float64, len(above)+1)
	last := 1.0
	for i, share := range above {
		if n == 0 {
			break
		}
		counts[i] = binomial(r, n, (last-share)/last)
		n -= counts[i]
		last = share
	}
	counts[len(above)] = n
	return counts
}

// binomial draws the number of hits in n trials of probability p.
func binomial(r *rand.Rand, n, p float64) float64 {
	const rejectFrom = 10 // expected hits from which rejection is valid
	switch {
	case !(p > 0) || n <= 0:
		return 0
	case p >= 1:
		return n
	case p > .5:
		return n - binomial(r, n, 1-p)
	case n*p < rejectFrom:
		return byWaiting(r, n, p)
	}
	return byRejection(r, n, p)
}

// byWaiting adds up the geometric waiting times between hits until they exceed n.
//
// Source: Devroye, Non-Uniform Random Variate Generation (1986), ch. X.4.
func byWaiting(r *rand.Rand, n, p float64) float64 {
	miss := math.Log1p(-p)
	hits, trials := 0.0, 0.0
	for {
		trials += math.Floor(math.Log(1-r.Float64())/miss) + 1
		if trials > n {
			return hits
		}
		hits++
	}
}

// byRejection is the transformed rejection method, algorithm BTRS.
//
// Source: Hörmann, The generation of binomial random variates, Journal of
// Statistical Computation and Simulation 46 (1993).
func byRejection(r *rand.Rand, n, p float64) float64 {
	deviation := math.Sqrt(n * p * (1 - p))
	b := 1.15 + 2.53*deviation
	a := -0.0873 + 0.0248*b + 0.01*p
	c := n*p + 0.5
	v0 := 0.92 - 4.2/b
	alpha := (2.83 + 5.1/b) * deviation
	logOdds := math.Log(p / (1 - p))
	mode := math.Floor((n + 1) * p)
	atMode := logFactorial(mode) + logFactorial(n-mode)
	for {
		u, v := r.Float64()-0.5, r.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + c)
		if us >= 0.07 && v <= v0 {
			return k
		}
		if k < 0 || k > n {
			continue
		}
		v = math.Log(v * alpha / (a/(us*us) + b))
		if v <= atMode-logFactorial(k)-logFactorial(n-k)+(k-mode)*logOdds {
			return k
		}
	}
}

func logFactorial(k float64) float64 {
	value, _ := math.Lgamma(k + 1)
	return value
}
