package loop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

// caller makes calls under the policy as it is declared. It knows nothing of
// what the policy comes to: that is for the prediction to know.
type caller struct {
	policy retry.Policy
	client *http.Client
	url    string
	seed   uint64
	budget *tokens
	late   *lateness
}

// ended is what became of a call.
type ended struct {
	fallback bool
	attempts int
	seconds  float64
}

// result is what became of an attempt.
type result int

const (
	replied result = iota
	failed         // a reply that says so
	timedOut
	abandoned // its call had another reply, or the run is over
)

// call makes one call and returns how it ended. Its error is that of ctx, or of
// a network that does not work.
func (c *caller) call(ctx context.Context, id uint64) (ended, error) {
	within, cancel := ctx, context.CancelFunc(func() {})
	if c.policy.Deadline > 0 {
		within, cancel = context.WithTimeout(ctx, duration(c.policy.Deadline))
	}
	defer cancel()
	c.budget.call()
	began := time.Now()
	last, attempts, err := c.attempts(within, id)
	took := time.Since(began)
	if ctx.Err() != nil {
		return ended{}, ctx.Err()
	}
	return ended{fallback: last != replied, attempts: attempts, seconds: took.Seconds()}, err
}

// attempts makes as many attempts as the policy, its budget and its deadline
// allow, one after another, and returns the last one's result and the requests
// sent.
func (c *caller) attempts(ctx context.Context, id uint64) (last result, sent int, err error) {
	draw := generator(^c.seed, id, 0)
	for made := 1; ; made++ {
		if c.policy.HedgeAfter > 0 {
			last, err = c.hedge(ctx, id, &sent)
		} else {
			sent++
			last, err = c.attempt(ctx, id, sent)
		}
		if err != nil || !c.retries(last, made) {
			return last, sent, err
		}
		wait := c.wait(made, draw)
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			return last, sent, nil
		}
		if !c.budget.take() || !c.pause(ctx, wait) {
			return last, sent, nil
		}
	}
}

// retries reports whether the policy wants another attempt after so many, the
// last of which had this result.
func (c *caller) retries(last result, made int) bool {
	switch last {
	case failed:
		return made <= c.policy.Retries
	case timedOut:
		return made <= c.policy.Retries && c.policy.RetryOnTimeout
	}
	return false
}

// attempt makes one attempt, the k-th of its call, within the timeout and what
// ctx, the deadline, leaves.
func (c *caller) attempt(ctx context.Context, id uint64, k int) (result, error) {
	within, cancel := ctx, context.CancelFunc(func() {})
	if c.policy.Timeout > 0 {
		within, cancel = context.WithTimeout(ctx, duration(c.policy.Timeout))
	}
	defer cancel()
	began := time.Now()
	status, held, err := c.send(within, id, k)
	took := time.Since(began)
	switch {
	case err != nil && errors.Is(within.Err(), context.DeadlineExceeded):
		due, _ := within.Deadline()
		c.late.timer(time.Since(due).Seconds())
		return timedOut, nil
	case err != nil && within.Err() != nil:
		return abandoned, nil
	case err != nil:
		return abandoned, err
	}
	c.late.path((took - held).Seconds())
	switch status {
	case http.StatusOK:
		return replied, nil
	case http.StatusServiceUnavailable:
		return failed, nil
	}
	return abandoned, fmt.Errorf("the callee answered %d", status)
}

// send sends a request and returns the status of the reply, and how long the
// callee took for it.
func (c *caller) send(ctx context.Context, id uint64, k int) (status int, held time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return 0, 0, err
	}
	request.Header.Set(callHeader, strconv.FormatUint(id, 10))
	request.Header.Set(attemptHeader, strconv.Itoa(k))
	response, err := c.client.Do(request)
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	if _, err = io.Copy(io.Discard, response.Body); err != nil {
		return 0, 0, err
	}
	nanoseconds, _ := strconv.ParseInt(response.Header.Get(heldHeader), 10, 64)
	return response.StatusCode, time.Duration(nanoseconds), nil
}

// wait returns how long to wait before retry k.
func (c *caller) wait(k int, draw *rand.Rand) time.Duration {
	longest := c.policy.Backoff.Wait(k)
	if c.policy.Backoff.FullJitter {
		longest *= draw.Float64()
	}
	return duration(longest)
}

// pause waits and reports whether ctx outlived that.
func (c *caller) pause(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		return ctx.Err() == nil
	}
	due := time.Now().Add(wait)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	}
	c.late.timer(time.Since(due).Seconds())
	return ctx.Err() == nil
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
