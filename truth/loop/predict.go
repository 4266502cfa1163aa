package loop

import (
	"fmt"
	"math"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// prediction is what the arithmetic of package retry says of a scenario.
type prediction struct {
	fallback float64 // of all calls
	attempts float64 // per call
	seconds  float64 // per call, on average
}

// predict works out what becomes of calls whose attempts have the latency of the
// scenario. laterAttempts is how much later still, in seconds, a deadline finds
// each attempt after the first.
func (s scenario) predict(laterAttempts float64) (prediction, error) {
	effective := s.effective()
	first := func(timeouts []float64, errors int) ([]float64, error) {
		p := make([]float64, len(timeouts))
		for t, timeout := range timeouts {
			l, err := later(s.latency, float64(errors+t)*laterAttempts)
			if err != nil {
				return nil, err
			}
			p[t] = l.Survival(timeout)
		}
		return p, nil
	}
	p, err := first(effective.Timeouts, 0)
	if err != nil {
		return prediction{}, err
	}
	outcome := s.outcome(effective, p)
	if s.errorRatio > 0 {
		for j, row := range effective.AfterErrors(s.latency.MeanBelow(s.timeout())) {
			if p, err = first(row, j+1); err != nil {
				return prediction{}, err
			}
			outcome.AfterErrors = append(outcome.AfterErrors, p)
		}
	}
	return prediction{
		fallback: retry.FallbackRatio(outcome).Total(),
		attempts: retry.Amplification(outcome),
		seconds: retry.ExpectedDuration(retry.DurationOptions{
			Latency: s.latency, Policy: s.policy, ErrorRatio: s.errorRatio, Correlation: s.correlation,
		}),
	}, nil
}

func (s scenario) outcome(e retry.Effective, p []float64) retry.Outcome {
	o := e.Outcome(p)
	o.E, o.Correlation = s.errorRatio, s.correlation
	if e.HedgeAfter > 0 {
		o.Hedge = &retry.HedgeRatios{Open: s.latency.Survival(e.HedgeAfter), Late: s.latency.Survival(s.timeout() - e.HedgeAfter)}
	}
	return o
}

// spread holds predictions for clocks as they should be and as they were.
type spread struct{ declared, low, high prediction }

// spread predicts for exact clocks, for timers that are late where replies are
// not, and for replies that are late where timers are not. What truly happens
// lies between.
func (s scenario) spread(late *lateness) (spread, error) {
	shift := late.shift(s.latency, s.timeout())
	replies, each := shift.Replies, 0.0
	if s.policy.Deadline > 0 {
		each = 2 * shift.Timers // a late timeout and a late wait leave less for what follows
	}
	if s.hedged() {
		replies += shift.Timers // a hedge sent late has less time
	}
	var clocks [3]prediction
	for i, moved := range []struct{ latency, each float64 }{{0, 0}, {-shift.Timers, 0}, {replies, each}} {
		scenario, err := s.moved(moved.latency)
		if err != nil {
			return spread{}, err
		}
		if clocks[i], err = scenario.predict(moved.each); err != nil {
			return spread{}, err
		}
	}
	all := spread{clocks[0], clocks[0], clocks[0]}
	for _, p := range clocks[1:] {
		all.low = prediction{min(all.low.fallback, p.fallback), min(all.low.attempts, p.attempts), min(all.low.seconds, p.seconds)}
		all.high = prediction{max(all.high.fallback, p.fallback), max(all.high.attempts, p.attempts), max(all.high.seconds, p.seconds)}
	}
	// Every attempt ends with a reply or a timer, every wait with a timer.
	mean := late.mean()
	all.high.seconds += all.high.attempts*max(mean.Replies, mean.Timers) + (all.high.attempts-1)*mean.Timers
	return all, nil
}

// moved returns s with latencies that are longer by so many seconds, or shorter
// where by is negative. Of the replies that come in time, as many are errors as
// before.
func (s scenario) moved(by float64) (scenario, error) {
	if by == 0 {
		return s, nil
	}
	l, err := later(s.latency, by)
	if err != nil {
		return s, fmt.Errorf("clocks that are late by %s say nothing about latencies of %s: %w",
			figure.Seconds(math.Abs(by)), figure.Seconds(s.latency.Quantile(.5)), err)
	}
	timeout := s.timeout()
	s.errorRatio *= (1 - l.Survival(timeout)) / (1 - s.latency.Survival(timeout))
	s.latency = l
	return s, nil
}
