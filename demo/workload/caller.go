package workload

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// caller makes the calls of one shape under its declared policy.
type caller struct {
	shape    Shape
	policy   config.Policy
	measures measures
	url      string
	client   *http.Client // with the timeout of an attempt
	seed     uint64
}

// newClient is an HTTP client as a service would set it up for one callee.
func newClient(p config.Policy) *http.Client {
	dialer := &net.Dialer{Timeout: p.ConnectTimeout}
	return &http.Client{
		Timeout: p.Timeout,
		// No proxy: callees are on this machine, whatever the environment says.
		Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 100},
	}
}

// run starts calls at random moments, at the shape's rate, until ctx ends or
// the shape stops. It returns when the last call has ended.
func (c *caller) run(ctx context.Context) {
	defer c.client.CloseIdleConnections()
	var calls sync.WaitGroup
	defer calls.Wait()
	starting := ctx
	if c.shape.StopsAfter > 0 {
		var cancel context.CancelFunc
		starting, cancel = context.WithTimeout(ctx, c.shape.StopsAfter)
		defer cancel()
	}
	draw := rand.New(rand.NewPCG(c.seed, 0))
	due := time.Now()
	for call := uint64(1); ; call++ {
		// Gaps are counted from when the last call was due, so that a slow
		// machine does not lower the rate.
		due = due.Add(time.Duration(draw.ExpFloat64() / c.shape.Rate * float64(time.Second)))
		if !wait(starting, time.Until(due)) {
			return
		}
		calls.Go(func() { c.call(ctx, call) })
	}
}

// call makes one call and counts it, unless the end of the workload breaks it
// off.
func (c *caller) call(ctx context.Context, call uint64) {
	within, cancel := ctx, context.CancelFunc(func() {})
	if c.policy.Deadline > 0 {
		within, cancel = context.WithTimeout(ctx, c.policy.Deadline)
	}
	defer cancel()
	ok := c.attempts(within, call)
	if ctx.Err() != nil {
		return
	}
	if !ok {
		c.measures.fallbacks.Inc()
	}
	c.measures.calls.Inc()
}

// attempts makes as many attempts as the policy and ctx, the deadline, allow,
// and reports whether one succeeded.
func (c *caller) attempts(ctx context.Context, call uint64) bool {
	draw := rand.New(rand.NewPCG(c.seed, call))
	for retry := 0; !c.attempt(ctx, call); retry++ {
		if retry == c.policy.Retries || !wait(ctx, backoff(c.policy.Backoff, retry, draw)) {
			return false
		}
		c.measures.retries.Inc()
	}
	return true
}

// attempt makes one attempt, records it and reports whether it succeeded.
func (c *caller) attempt(ctx context.Context, call uint64) bool {
	began := time.Now()
	status, err := c.send(ctx, call)
	took := time.Since(began)
	if errors.Is(ctx.Err(), context.Canceled) {
		return false // the workload ends
	}
	c.measures.attempts.Inc()
	timedOut := isTimeout(err)
	if c.shape.Recording == Recorded || c.shape.Recording == Dropped && !timedOut {
		c.measures.duration.Observe(took.Seconds())
	}
	switch {
	case timedOut:
		c.measures.timeouts.Inc()
	case err != nil || status >= http.StatusInternalServerError:
		c.measures.errors.Inc()
	default:
		return true
	}
	return false
}

// send sends a request and returns the status of the reply.
func (c *caller) send(ctx context.Context, call uint64) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set(callHeader, strconv.FormatUint(call, 10))
	response, err := c.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// backoff is the wait after the retry-th retry: min(initial·multiplier^retry,
// max), or under full jitter a draw between 0 and that.
func backoff(b config.Backoff, retry int, draw *rand.Rand) time.Duration {
	nominal := float64(b.Initial) * math.Pow(b.Multiplier, float64(retry))
	if b.Max > 0 {
		nominal = min(nominal, float64(b.Max))
	}
	if b.Jitter == "full" {
		nominal *= draw.Float64()
	}
	return time.Duration(nominal)
}

// wait waits for d and reports whether ctx outlived that.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}
