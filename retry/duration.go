package retry

import (
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// DurationOptions describes one call for ExpectedDuration.
type DurationOptions struct {
	Latency     latency.Lognormal // of one attempt that nothing cuts off, in seconds
	Policy      Policy
	ErrorRatio  float64
	Correlation float64
}

// ExpectedDuration returns how long a call takes on average, in seconds, all
// attempts and backoff included.
//
// With n attempts of timeout T and mean backoff b_k before retry k it is
//
//	E[min(X,T)] + Σ_{k=1}^{n−1}{ rho·p·(T+b_k) + rho·e·(E[min]+b_k) + (1−rho)·qᵏ·(E[min]+b_k) }
//
// (docs/model.md §5). derivation: every attempt takes min(X, T) on average, but
// in calls with one fate a retry follows a timeout and takes T again. Under a
// deadline attempt k has the timeout of Effective. Errors take as long as
// replies do, and no call outlives Effective.Longest. A latency that is not a
// number counts as one that always times out.
func ExpectedDuration(o DurationOptions) float64 {
	effective := o.Policy.Effective()
	timeouts := effective.Timeouts
	if !effective.RetryOnTimeout {
		timeouts = timeouts[:1]
	}
	p, mean := make([]float64, len(timeouts)), make([]float64, len(timeouts))
	for i, timeout := range timeouts {
		p[i], mean[i] = attempt(o.Latency, timeout)
	}
	outcome := effective.Outcome(p)
	outcome.E, outcome.Correlation = o.ErrorRatio, o.Correlation
	c := outcome.call()
	wait := func(k int) float64 { return min(o.Policy.Backoff.Mean(k), endless) }

	own := 0.0
	c.walk(func(failures, timeouts int, probability float64) {
		if failures > 0 {
			own += probability * (mean[timeouts] + wait(failures))
		}
	})
	timedOut, erred := 0.0, 0.0
	for k := 1; k < len(c.p); k++ {
		timedOut += min(timeouts[k], endless) + wait(k)
	}
	for k := 1; k < c.n; k++ {
		erred += mean[0] + wait(k)
	}
	retried := mix(c.rho, c.p[0]*timedOut+c.e[0]*erred, own)
	expected := mean[0] + RetryShare(outcome)*retried
	if effective.Longest > 0 {
		return min(expected, effective.Longest)
	}
	return expected
}

// endless stands for a time beyond all measure, in seconds. All attempts of a
// call can take it and still have a finite sum.
const endless = math.MaxFloat64 / (8 * MaxAttempts)

// attempt returns how often an attempt is cut off and how long it takes on
// average, endless at most. A timeout of 0 is none.
func attempt(l latency.Lognormal, timeout float64) (p, mean float64) {
	if timeout == 0 {
		timeout = math.Inf(1)
	}
	limit := min(timeout, endless)
	if !known(l) {
		return 1, limit
	}
	return l.Survival(timeout), min(l.LimitedMean(timeout), limit)
}

// known reports whether l describes a latency.
func known(l latency.Lognormal) bool {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	return finite(l.Mu) && finite(l.Sigma) && l.Sigma >= 0
}
