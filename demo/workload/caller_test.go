package workload

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// script is a callee without a network: it answers the attempts of a call after
// the given latencies, one after the other, and 200, or 503 for a negative one.
type script struct {
	latencies []time.Duration
	sent      atomic.Int64
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	latency := s.latencies[min(int(s.sent.Add(1)), len(s.latencies))-1]
	status := http.StatusOK
	if latency < 0 {
		latency, status = -latency, http.StatusServiceUnavailable
	}
	if !wait(r.Context(), latency) {
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: status, Body: http.NoBody, Request: r}, nil
}

func policy() config.Policy {
	return config.Policy{
		Timeout: 300 * time.Millisecond, Deadline: 2 * time.Second, Retries: 2,
		Backoff: config.Backoff{Initial: 100 * time.Millisecond, Multiplier: 2, Jitter: "none"},
	}
}

// counts is what a caller has measured.
type counts struct {
	Attempts, Timeouts, Errors, Calls, Retries, Fallbacks float64
	Observed                                              uint64
	Sum                                                   float64 // of observed seconds, to the millisecond
}

func counted(t *testing.T, registry *prometheus.Registry) counts {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var c counts
	for _, family := range families {
		metric := family.GetMetric()[0]
		value := metric.GetCounter().GetValue()
		switch name := family.GetName(); name {
		case "http_client_attempts_total":
			c.Attempts = value
		case "http_client_timeouts_total":
			c.Timeouts = value
		case "http_client_errors_total":
			c.Errors = value
		case "http_client_calls_total":
			c.Calls = value
		case "http_client_retries_total":
			c.Retries = value
		case "http_client_fallbacks_total":
			c.Fallbacks = value
		case "http_client_request_duration_seconds", "http_server_request_duration_seconds":
			c.Observed = metric.GetHistogram().GetSampleCount()
			c.Sum = math.Round(metric.GetHistogram().GetSampleSum()*1000) / 1000
		default:
			t.Fatalf("%s is a metric that no test knows", name)
		}
	}
	return c
}

// made is a caller of a scripted callee.
func made(s Shape, p config.Policy, callee http.RoundTripper) (*caller, *prometheus.Registry) {
	registry := prometheus.NewRegistry()
	s.Buckets = []float64{1}
	return &caller{
		shape: s, policy: p, measures: newMeasures(s, "payments", registry, registry),
		url: "http://payments/", client: &http.Client{Timeout: p.Timeout, Transport: callee}, seed: 1,
	}, registry
}

func TestCallFollowsItsPolicyAndRecordsWhatItSays(t *testing.T) {
	const ms = time.Millisecond
	short := policy()
	short.Deadline = 650 * ms
	for name, c := range map[string]struct {
		recording Recording
		policy    config.Policy
		latencies []time.Duration
		took      time.Duration
		want      counts
	}{
		"a reply in time ends the call": {
			Recorded, policy(), []time.Duration{20 * ms}, 20 * ms,
			counts{Attempts: 1, Calls: 1, Observed: 1, Sum: .020},
		},
		"a timeout is recorded at the timeout and retried": {
			Recorded, policy(), []time.Duration{400 * ms, 20 * ms}, 420 * ms,
			counts{Attempts: 2, Timeouts: 1, Retries: 1, Calls: 1, Observed: 2, Sum: .320},
		},
		"a timeout is dropped and counted": {
			Dropped, policy(), []time.Duration{400 * ms, 20 * ms}, 420 * ms,
			counts{Attempts: 2, Timeouts: 1, Retries: 1, Calls: 1, Observed: 1, Sum: .020},
		},
		"a callee that measures leaves nothing to the caller": {
			AtCallee, policy(), []time.Duration{400 * ms, 20 * ms}, 420 * ms,
			counts{Attempts: 2, Timeouts: 1, Retries: 1, Calls: 1},
		},
		"an error is recorded at its latency and retried": {
			Dropped, policy(), []time.Duration{-30 * ms, 20 * ms}, 150 * ms,
			counts{Attempts: 2, Errors: 1, Retries: 1, Calls: 1, Observed: 2, Sum: .050},
		},
		"retries run out": {
			Recorded, policy(), []time.Duration{400 * ms}, 1200 * ms,
			counts{Attempts: 3, Timeouts: 3, Retries: 2, Calls: 1, Fallbacks: 1, Observed: 3, Sum: .900},
		},
		"the deadline cuts an attempt short": {
			Recorded, short, []time.Duration{400 * ms}, 650 * ms,
			counts{Attempts: 2, Timeouts: 2, Retries: 1, Calls: 1, Fallbacks: 1, Observed: 2, Sum: .550},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				caller, registry := made(Shape{Recording: c.recording}, c.policy, &script{latencies: c.latencies})
				began := time.Now()
				caller.call(t.Context(), 1)
				if took := time.Since(began); took != c.took {
					t.Errorf("the call took %v, want %v", took, c.took)
				}
				if diff := cmp.Diff(c.want, counted(t, registry)); diff != "" {
					t.Errorf("measured (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestCallBrokenOffAtTheEndCountsNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caller, registry := made(Shape{Recording: Recorded}, policy(), &script{latencies: []time.Duration{time.Second}})
		ctx, end := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, end)
		caller.call(ctx, 1)
		if diff := cmp.Diff(counts{}, counted(t, registry)); diff != "" {
			t.Errorf("measured (-want +got):\n%s", diff)
		}
	})
}

func TestCallerKeepsItsRateAndGoesSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shape := Shape{Recording: Recorded, Rate: 20, StopsAfter: 40 * time.Second}
		caller, registry := made(shape, policy(), &script{latencies: []time.Duration{20 * time.Millisecond}})
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			caller.run(ctx)
			close(ended)
		}()
		time.Sleep(39 * time.Second)
		before := counted(t, registry)
		time.Sleep(2 * time.Second)
		silent := counted(t, registry)
		time.Sleep(5 * time.Minute)
		if diff := cmp.Diff(silent, counted(t, registry)); diff != "" {
			t.Errorf("calls go on after their end (-at the end +later):\n%s", diff)
		}
		// 39 s of Poisson arrivals at 20/s are 780 ± 28; five of those are allowed.
		if before.Calls < 640 || before.Calls > 920 {
			t.Errorf("%v calls in 39 s at 20 a second", before.Calls)
		}
		end()
		<-ended
	})
}

func TestSlowMachineDoesNotLowerTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shape := Shape{Recording: Recorded, Rate: 30}
		caller, registry := made(shape, policy(), &script{latencies: []time.Duration{10 * time.Second}})
		caller.client.Timeout = 0
		caller.policy.Deadline = 0
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			caller.run(ctx)
			close(ended)
		}()
		time.Sleep(30*time.Second + time.Nanosecond)
		// Calls that ended by now started in the first 20 s: 600 ± 24.
		if got := counted(t, registry).Calls; got < 480 || got > 720 {
			t.Errorf("%v calls of 10 s have ended after 30 s at 30 a second, want about 600", got)
		}
		end()
		<-ended
	})
}

func TestBackoffGrowsToItsMaximum(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	b := config.Backoff{Initial: 25 * time.Millisecond, Multiplier: 2, Max: 80 * time.Millisecond, Jitter: "none"}
	var got []string
	for retry := range 4 {
		got = append(got, backoff(b, retry, draw).String())
	}
	if want := "25ms 50ms 80ms 80ms"; strings.Join(got, " ") != want {
		t.Errorf("backoff %s, want %s", strings.Join(got, " "), want)
	}
	b.Jitter = "full"
	for range 1000 {
		if d := backoff(b, 1, draw); d < 0 || d > 50*time.Millisecond {
			t.Fatalf("full jitter of 50ms drew %v", d)
		}
	}
}
