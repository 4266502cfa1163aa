package loop

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// scenario is one policy and the callee that it meets.
type scenario struct {
	policy      retry.Policy
	latency     latency.Lognormal // of an attempt that nothing cuts off, in seconds
	errorRatio  float64           // attempts that end in a 503, in time, ÷ attempts
	correlation float64           // share of calls whose attempts all meet one fate
}

// ms is milliseconds in seconds.
func ms(n float64) float64 { return n * time.Millisecond.Seconds() }

// usual is the latency of the callees: median 100 ms, p99 643 ms. The milliseconds
// by which timers are late are small against it, and since callees only sleep,
// more calls at once make up for the time it takes.
func usual() latency.Lognormal { return latency.Lognormal{Mu: math.Log(ms(100)), Sigma: .8} }

// scenarios are the policies of the run. Timeouts are short against p99, so that
// a few thousand calls show what a policy does with its failures.
func scenarios() []scenario {
	share := func(b float64) *float64 { return &b }
	policies := []scenario{
		{policy: retry.Policy{Timeout: ms(400)}},
		{policy: retry.Policy{Timeout: ms(300)}, errorRatio: .05},
		{policy: retry.Policy{Timeout: ms(300), Retries: 1, RetryOnTimeout: true}},
		{policy: retry.Policy{Timeout: ms(250), Retries: 1, RetryOnTimeout: true, Backoff: retry.Backoff{Initial: ms(50)}},
			correlation: .5},
		{policy: retry.Policy{Timeout: ms(200), Retries: 2, RetryOnTimeout: true, Backoff: retry.Backoff{Initial: ms(50), Multiplier: 2}},
			errorRatio: .05},
		{policy: retry.Policy{Timeout: ms(250), Retries: 3, RetryOnTimeout: true, Backoff: retry.Backoff{Initial: ms(40), Multiplier: 2, Max: ms(120), FullJitter: true}},
			errorRatio: .02, correlation: .5},
		{policy: retry.Policy{Timeout: ms(300), Retries: 2, RetryOnTimeout: true, Backoff: retry.Backoff{Initial: ms(50)}},
			errorRatio: .05, correlation: 1},
		{policy: retry.Policy{Timeout: ms(250), Deadline: ms(720), Retries: 2, RetryOnTimeout: true, Backoff: retry.Backoff{Initial: ms(50)}},
			errorRatio: .02},
		{policy: retry.Policy{Timeout: ms(200), Deadline: ms(400), Retries: 3, RetryOnTimeout: true},
			correlation: .5},
		{policy: retry.Policy{Timeout: ms(400), Deadline: ms(300), Retries: 2, RetryOnTimeout: true}},
		{policy: retry.Policy{Timeout: ms(200), Retries: 1, RetryOnTimeout: true, Budget: share(.1)}},
		{policy: retry.Policy{Timeout: ms(180), Retries: 2, RetryOnTimeout: true, Budget: share(.2), Backoff: retry.Backoff{Initial: ms(50), FullJitter: true}},
			errorRatio: .05, correlation: .5},
		{policy: retry.Policy{Timeout: ms(250), Retries: 3, Backoff: retry.Backoff{Initial: ms(20)}},
			errorRatio: .1},
		{policy: retry.Policy{Timeout: ms(400), Retries: 2},
			errorRatio: .1, correlation: .5},
		{policy: retry.Policy{Timeout: ms(250), HedgeAfter: ms(100)}},
		{policy: retry.Policy{Timeout: ms(300), HedgeAfter: ms(150)}, correlation: .5},
		{policy: retry.Policy{Timeout: ms(250), HedgeAfter: ms(120), Retries: 1, RetryOnTimeout: true}, errorRatio: .1},
		{policy: retry.Policy{Timeout: ms(250), Deadline: ms(500), Retries: 3, RetryOnTimeout: true}, errorRatio: .1},
		{policy: retry.Policy{Timeout: ms(300), Deadline: ms(450), Retries: 2, RetryOnTimeout: true, Backoff: retry.Backoff{Initial: ms(30)}},
			errorRatio: .15, correlation: .5},
		{policy: retry.Policy{Timeout: ms(250), Deadline: ms(350), Retries: 3}, errorRatio: .2},
	}
	for i := range policies {
		policies[i].latency = usual()
	}
	return policies
}

// validate says what is wrong with a scenario.
func (s scenario) validate() error {
	err := s.policy.Validate()
	if s.policy.Timeout == 0 && s.policy.Deadline == 0 {
		err = errors.Join(err, errors.New("a timeout or a deadline is needed"))
	}
	if s.hedged() && s.effective().HedgeAfter == 0 {
		err = errors.Join(err, errors.New("the hedge is never sent"))
	}
	if o := s.outcome(s.effective(), make([]float64, s.effective().Attempts)); o.Validate() != nil {
		err = errors.Join(err, o.Validate())
	}
	if err != nil {
		return fmt.Errorf("policy %q: %w", s, err)
	}
	return nil
}

func (s scenario) effective() retry.Effective { return s.policy.Effective() }

// timeout is the time, in seconds, that the first attempt of a call has.
func (s scenario) timeout() float64 { return s.effective().Timeouts[0] }

func (s scenario) hedged() bool { return s.policy.HedgeAfter > 0 }

// stretched returns s with all its times so many times as long.
func (s scenario) stretched(times float64) scenario {
	s.latency.Mu += math.Log(times)
	for _, seconds := range []*float64{
		&s.policy.Timeout, &s.policy.Deadline, &s.policy.HedgeAfter, &s.policy.Backoff.Initial, &s.policy.Backoff.Max,
	} {
		*seconds *= times
	}
	return s
}
