package loop

import (
	"math"
	"math/rand/v2"
)

// fates decides what becomes of attempts. It is a function of names, so that the
// same seed gives the same fates in whatever order attempts arrive.
type fates struct {
	seed uint64
	scenario
}

// fate is what the callee does with an attempt.
type fate struct {
	seconds float64 // until it replies
	fails   bool    // with a 503
}

// of returns the fate of an attempt, 1 being the first, of a call. A share rho
// of the calls meets one fate: all of their attempts that of the first draw.
func (f fates) of(call, attempt uint64) fate {
	draw := generator(f.seed, call, 0)
	if draw.Float64() >= f.correlation {
		draw = generator(f.seed, call, attempt)
	}
	return fate{
		seconds: math.Exp(f.latency.Mu + f.latency.Sigma*draw.NormFloat64()),
		fails:   draw.Float64() < f.failing(),
	}
}

// failing returns the share of replies that are errors. The error ratio counts
// among all attempts, and only those can be one whose reply comes in time.
func (f fates) failing() float64 {
	return f.errorRatio / (1 - f.latency.Survival(f.timeout()))
}

// generator returns a source of draws of its own for each pair of names.
func generator(seed, call, purpose uint64) *rand.Rand {
	const attemptsOfCall = 1 << 8
	return rand.New(rand.NewPCG(seed, call*attemptsOfCall+purpose))
}
