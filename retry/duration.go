package retry

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

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
//	E[min(X,T)] + Σ_{k=1}^{n−1}{ rho·p·(T+b_k) + rho·e·(E[X|X≤T]+b_k) + (1−rho)·qᵏ·(E[min]+b_k) }
//
// (docs/model.md §5). derivation: every attempt takes min(X, T) on average, but
// in calls with one fate a retry follows a timeout and takes T again, or follows
// an error and takes as long as a reply that comes in time. Under a deadline an
// attempt has what Effective says is left, and no call outlives
// Effective.Longest. A latency that is not a number counts as one that always
// times out.
func ExpectedDuration(o DurationOptions) float64 {
	effective := o.Policy.Effective()
	m := model{latency: o.Latency, effective: effective}
	m.afterErrors = effective.AfterErrors(m.inTime())
	outcome := m.outcome()
	outcome.E, outcome.Correlation = o.ErrorRatio, o.Correlation
	c := outcome.call()
	wait := func(k int) float64 { return min(effective.Backoff.Mean(k), endless) }

	own, first := 0.0, 0.0
	c.walk(func(errors, timeouts int, probability float64) {
		mean := m.mean(errors, timeouts, c.hedge != nil && c.p[errors][timeouts] == c.p[0][0])
		if errors+timeouts == 0 {
			first = mean
			return
		}
		own += probability * (mean + wait(errors+timeouts))
	})
	inARow, errorsInARow := c.inARow()
	timedOut, erred := 0.0, 0.0
	for k := 1; k < inARow; k++ {
		timedOut += min(effective.Timeouts[k], endless) + wait(k)
	}
	for k := 1; k < errorsInARow; k++ {
		erred += m.inTime() + wait(k)
	}
	p, e := c.first()
	retried := mix(c.rho, p*timedOut+e*erred, own)
	expected := mix(c.rho, m.mean(0, 0, false), first) + RetryShare(outcome)*retried
	if effective.Longest > 0 {
		return min(expected, effective.Longest)
	}
	return expected
}

// model is a policy in effect over a latency that is known.
type model struct {
	latency     latency.Lognormal
	effective   Effective
	afterErrors [][]float64 // timeouts; see Effective.AfterErrors
}

// outcome is what the latency makes of each attempt.
func (m model) outcome() Outcome {
	survival := func(timeouts []float64) []float64 {
		p := make([]float64, len(timeouts))
		for i, timeout := range timeouts {
			p[i], _ = attempt(m.latency, timeout)
		}
		return p
	}
	o := m.effective.Outcome(survival(m.effective.Timeouts))
	for _, row := range m.afterErrors {
		o.AfterErrors = append(o.AfterErrors, survival(row))
	}
	if after, first := m.effective.HedgeAfter, m.effective.Timeouts[0]; after > 0 && first > 0 {
		open, _ := attempt(m.latency, after)
		late, _ := attempt(m.latency, first-after)
		o.Hedge = &HedgeRatios{Open: open, Late: late}
	}
	return o
}

// inTime is how long an attempt that is not cut off takes on average.
func (m model) inTime() float64 {
	timeout := m.effective.Timeouts[0]
	if timeout == 0 || !known(m.latency) {
		_, mean := attempt(m.latency, timeout)
		return mean
	}
	return min(m.latency.MeanBelow(timeout), timeout)
}

// mean is how long an attempt takes on average, hedged or not. Nobody waits
// longer than endless.
//
// derivation: of a hedged attempt neither request has ended by t with S(t) before
// the hedge is sent and S(t)·S(t − H) after it; its mean is the integral up to
// the timeout, by Gauss and Legendre.
func (m model) mean(errors, timeouts int, hedged bool) float64 {
	timeout := m.effective.Timeouts[timeouts]
	if errors > 0 && m.afterErrors != nil {
		timeout = m.afterErrors[errors-1][timeouts]
	}
	after := m.effective.HedgeAfter
	if !hedged || after >= timeout {
		_, mean := attempt(m.latency, timeout)
		return mean
	}
	_, mean := attempt(m.latency, after)
	open := func(t float64) float64 {
		first, _ := attempt(m.latency, t)
		second := 1.0
		if t > after {
			second, _ = attempt(m.latency, t-after)
		}
		return first * second
	}
	// Most replies come soon after the hedge, so points lie close together there.
	const points = 64
	span := timeout - after
	return mean + quad.Fixed(func(u float64) float64 { return open(after+span*u*u*u) * 3 * span * u * u },
		0, 1, points, quad.Legendre{}, 0)
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
