package retry_test

import (
	"math"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// api has a median of 180 ms and a p99 of 1.4 s.
func api() latency.Lognormal {
	return latency.Lognormal{Mu: math.Log(0.18), Sigma: 0.8817557716121384}
}

func TestExpectedDuration(t *testing.T) {
	mean := api().LimitedMean(math.Inf(1))
	cut, p := api().LimitedMean(0.4), api().Survival(0.4)
	inTime := (cut - 0.4*p) / (1 - p)
	budget := 0.0
	for name, tc := range map[string]struct {
		policy      retry.Policy
		errors, rho float64
		want        float64
	}{
		"no timeout takes the mean": {
			retry.Policy{Retries: 2, RetryOnTimeout: true}, 0, 0.5, mean,
		},
		"one attempt takes what the timeout leaves": {
			retry.Policy{Timeout: 0.4}, 0, 0.5, cut,
		},
		"timeouts that are not retried add nothing": {
			retry.Policy{Timeout: 0.4, Retries: 2}, 0, 0, cut,
		},
		"an independent retry takes a fresh attempt": {
			retry.Policy{Timeout: 0.4, Retries: 1, RetryOnTimeout: true}, 0, 0, cut + p*cut,
		},
		"a retry that shares the fate of a timeout takes the timeout again": {
			retry.Policy{Timeout: 0.4, Retries: 1, RetryOnTimeout: true}, 0, 1, cut + p*0.4,
		},
		"a hedge that shares the fate of the first gains nothing": {
			retry.Policy{Timeout: 0.4, HedgeAfter: 0.1}, 0, 1, cut,
		},
		"errors are retried after the backoff": {
			retry.Policy{Timeout: 0.4, Retries: 1, Backoff: retry.Backoff{Initial: 0.2, FullJitter: true}}, 0.1, 1, cut + 0.1*(inTime+0.1),
		},
		"the deadline leaves the retry less time": {
			retry.Policy{Timeout: 0.4, Deadline: 0.5, Retries: 1, RetryOnTimeout: true}, 0, 0, cut + p*api().LimitedMean(0.1),
		},
		"an empty budget grants no retries": {
			retry.Policy{Timeout: 0.4, Retries: 5, RetryOnTimeout: true, Budget: &budget}, 0.1, 0.5, cut,
		},
		"no call outlives its deadline": {
			retry.Policy{Timeout: 0.4, Deadline: 0.4, Retries: 50}, 0.8, 1, 0.4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := retry.ExpectedDuration(retry.DurationOptions{Latency: api(), Policy: tc.policy, ErrorRatio: tc.errors, Correlation: tc.rho})
			if !near(got, tc.want, 1e-12) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestAHedgeEndsTheAttemptWithTheFirstOfTwoReplies(t *testing.T) {
	want := sooner(0.1, 0.4)
	got := retry.ExpectedDuration(retry.DurationOptions{Latency: api(), Policy: retry.Policy{Timeout: 0.4, HedgeAfter: 0.1}})
	if !near(got, want, 1e-8) { // both are sums in place of integrals
		t.Errorf("got %v, want %v", got, want)
	}
}

// sooner is the mean of the first of two independent replies, the second asked
// for after a while, within a timeout: the ratio of those without a reply by t,
// summed up over t.
func sooner(after, timeout float64) float64 {
	const steps = 1_000_000
	sum := 0.0
	for i := range steps {
		t := timeout * (float64(i) + 0.5) / steps
		sum += retry.Hedge{Latency: api(), Timeout: t, After: after}.FailureRatio()
	}
	return sum * timeout / steps
}

func TestHedgeThatCannotStartChangesNothing(t *testing.T) {
	for _, after := range []float64{2, 3, math.Inf(1), math.NaN()} {
		h := retry.Hedge{Latency: api(), Timeout: 2, After: after}
		if h.FailureRatio() != api().Survival(2) || h.ExtraLoad() != 0 {
			t.Errorf("hedge after %v: fails %v at an extra load of %v", after, h.FailureRatio(), h.ExtraLoad())
		}
	}
}

func TestHedgeNeverRaisesFailures(t *testing.T) {
	alone := api().Survival(2)
	for _, rho := range []float64{0, 0.3, 1} {
		last := 0.0
		for _, after := range []float64{0, 0.1, 0.5, 1, 1.9, 2} {
			h := retry.Hedge{Latency: api(), Timeout: 2, After: after, Correlation: rho}
			fails := h.FailureRatio()
			if fails < last || fails > alone*(1+rounding) || rho == 1 && !near(fails, alone, 1e-12) {
				t.Errorf("rho %v, hedge after %v: fails %v, one attempt %v, earlier hedge %v", rho, after, fails, alone, last)
			}
			last = fails
		}
	}
}

// Without a deadline a longer timeout cuts off fewer attempts. A deadline
// breaks the rule for F: a longer timeout can leave no time for the last retry.
func TestALongerTimeoutNeverRaisesTheFallbackRatio(t *testing.T) {
	for _, rho := range []float64{0, 0.5, 1} {
		lastP, lastF := 1.0, 1.0
		for timeout := 0.01; timeout < 30; timeout *= 1.3 {
			e := retry.Policy{Timeout: timeout, Retries: 2, RetryOnTimeout: true}.Effective()
			p := make([]float64, len(e.Timeouts))
			for i, cut := range e.Timeouts {
				p[i] = api().Survival(cut)
			}
			o := e.Outcome(p)
			o.Correlation = rho
			f := retry.FallbackRatio(o).Total()
			if p[0] > lastP || f > lastF {
				t.Errorf("rho %v, timeout %v: p %v after %v, F %v after %v", rho, timeout, p[0], lastP, f, lastF)
			}
			lastP, lastF = p[0], f
		}
	}
}

func FuzzDuration(f *testing.F) {
	f.Add(-1.7, 0.88, 2.0, 5.0, 2, 0.004, 0.5)
	f.Add(math.NaN(), math.NaN(), math.NaN(), 0.0, 1, math.NaN(), math.NaN())
	f.Add(math.Inf(1), math.Inf(1), 0.0, 0.0, 100, 1.0, 1.0)
	f.Add(700.0, 40.0, 0.0, 0.0, 5, 0.5, 0.0)
	f.Fuzz(func(t *testing.T, mu, sigma, timeout, deadline float64, retries int, e, rho float64) {
		o := retry.DurationOptions{
			Latency: latency.Lognormal{Mu: mu, Sigma: math.Abs(sigma)}, ErrorRatio: e, Correlation: rho,
			Policy: retry.Policy{Timeout: timeout, Deadline: deadline, Retries: retries, RetryOnTimeout: true, HedgeAfter: timeout / 3},
		}
		if d := retry.ExpectedDuration(o); !(d >= 0) || math.IsInf(d, 1) {
			t.Fatalf("ExpectedDuration(%+v) = %v", o, d)
		}
		h := retry.Hedge{Latency: o.Latency, Timeout: timeout, After: deadline, Correlation: rho}
		if fails, load := h.FailureRatio(), h.ExtraLoad(); !(fails >= 0 && fails <= 1) || !(load >= 0 && load <= 1) {
			t.Fatalf("%+v fails %v, loads %v", h, fails, load)
		}
	})
}
