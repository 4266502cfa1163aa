package retry_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

func TestEffectivePolicy(t *testing.T) {
	const ms = 1e-3
	for name, tc := range map[string]struct {
		policy    retry.Policy
		timeouts  []float64
		worstCase int
		longest   float64
		codes     []string
	}{
		"nothing is set": {
			policy:   retry.Policy{},
			timeouts: []float64{0}, worstCase: 1,
		},
		"timeout and retries without a deadline": {
			policy:   retry.Policy{Timeout: 2, Retries: 2, RetryOnTimeout: true, Backoff: retry.Backoff{Initial: 100 * ms, Multiplier: 2}},
			timeouts: []float64{2, 2, 2}, worstCase: 3, longest: 6.3,
		},
		"all attempts fit exactly, whatever the rounding": {
			policy:   retry.Policy{Timeout: 0.1, Deadline: 0.3, Retries: 2, RetryOnTimeout: true},
			timeouts: []float64{0.1, 0.1, 0.1}, worstCase: 3, longest: 0.3,
		},
		"the deadline cuts the last attempt short": {
			policy:   retry.Policy{Timeout: 2, Deadline: 5, Retries: 2, RetryOnTimeout: true},
			timeouts: []float64{2, 2, 1}, worstCase: 3, longest: 5,
			codes: []string{retry.CodeDeadlineCutsAttempt},
		},
		"retries that never start": {
			policy:   retry.Policy{Timeout: 900 * ms, Deadline: 2, Retries: 4, RetryOnTimeout: true},
			timeouts: []float64{900 * ms, 900 * ms, 200 * ms}, worstCase: 5, longest: 2,
			codes: []string{retry.CodeRetriesExceedDeadline, retry.CodeDeadlineCutsAttempt},
		},
		"backoff takes its part of the deadline": {
			policy: retry.Policy{Timeout: 1, Deadline: 2.5, Retries: 1, RetryOnTimeout: true,
				Backoff: retry.Backoff{Initial: 1, FullJitter: true}},
			timeouts: []float64{1, 1}, worstCase: 2, longest: 2.5,
			codes: []string{retry.CodeDeadlineCutsAttempt}, // when the jitter draws more than half a second
		},
		"a timeout equal to the deadline is dead": {
			policy:   retry.Policy{Timeout: 2, Deadline: 2, Retries: 2, RetryOnTimeout: true},
			timeouts: []float64{2}, worstCase: 3, longest: 2,
			codes: []string{retry.CodePerAttemptTimeoutDead},
		},
		"a timeout above the deadline is dead": {
			policy:   retry.Policy{Timeout: 10, Deadline: 2},
			timeouts: []float64{2}, worstCase: 1, longest: 2,
			codes: []string{retry.CodePerAttemptTimeoutDead},
		},
		"a timeout equal to the deadline of a single attempt does no harm": {
			policy:   retry.Policy{Timeout: 2, Deadline: 2},
			timeouts: []float64{2}, worstCase: 1, longest: 2,
		},
		"a deadline alone is the timeout of one slow attempt": {
			policy:   retry.Policy{Deadline: 3, Retries: 2, RetryOnTimeout: true},
			timeouts: []float64{3}, worstCase: 3, longest: 3,
			codes: []string{retry.CodeDeadlineIsTimeout},
		},
		"errors alone are retried and come early": {
			policy:   retry.Policy{Timeout: 2, Deadline: 3, Retries: 2},
			timeouts: []float64{2, 2, 2}, worstCase: 3, longest: 3,
		},
		"errors alone are retried and backoff uses up the deadline": {
			policy:   retry.Policy{Timeout: 1, Deadline: 2, Retries: 3, Backoff: retry.Backoff{Initial: 0.8}},
			timeouts: []float64{1, 1, 0.4}, worstCase: 3, longest: 2,
			codes: []string{retry.CodeRetriesExceedDeadline, retry.CodeDeadlineCutsAttempt},
		},
		"the client library allows fewer attempts": {
			policy:   retry.Policy{Timeout: 1, Retries: 9, RetryOnTimeout: true, AttemptLimit: retry.GRPCAttemptLimit},
			timeouts: []float64{1, 1, 1, 1, 1}, worstCase: 5, longest: 5,
			codes: []string{retry.CodeAttemptLimit},
		},
		"a hedge due after the timeout is never sent": {
			policy:   retry.Policy{Timeout: 1, HedgeAfter: 1},
			timeouts: []float64{1}, worstCase: 1, longest: 1,
			codes: []string{retry.CodeHedgeNeverSent},
		},
		"what is not a number is not set": {
			policy:   retry.Policy{Timeout: math.NaN(), Deadline: -1, Retries: -3, HedgeAfter: math.Inf(1)},
			timeouts: []float64{0}, worstCase: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := tc.policy.Effective()
			var codes []string
			for _, d := range e.Differences {
				codes = append(codes, d.Code)
			}
			if diff := cmp.Diff(tc.timeouts, e.Timeouts, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
				t.Errorf("timeouts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.codes, codes); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
			if e.Attempts != len(e.Timeouts) || e.WorstCase != tc.worstCase {
				t.Errorf("attempts %d of at most %d, want %d of %d", e.Attempts, e.WorstCase, len(tc.timeouts), tc.worstCase)
			}
			if !near(e.Longest, tc.longest, 1e-9) {
				t.Errorf("longest = %v, want %v", e.Longest, tc.longest)
			}
		})
	}
}

func TestDifferencesExplainThemselves(t *testing.T) {
	policy := retry.Policy{Timeout: 0.9, Deadline: 2, Retries: 4, RetryOnTimeout: true, HedgeAfter: 1}
	want := []retry.Difference{
		{
			What: "attempts", Declared: "5", Effective: "3", Code: "retries-exceed-deadline",
			Why: "after 3 attempts of up to 900ms and the backoff between them nothing is left of the deadline of 2s",
		},
		{
			What: "the timeout of attempt 3", Declared: "900ms", Effective: "200ms", Code: "deadline-cuts-attempt",
			Why: "what comes before it leaves no more of the deadline of 2s",
		},
		{
			What: "the hedge", Declared: "after 1s", Effective: "never", Code: "hedge-never-sent",
			Why: "the attempt it should overtake ends after 900ms",
		},
	}
	if diff := cmp.Diff(want, policy.Effective().Differences); diff != "" {
		t.Error(diff)
	}
	policy = retry.Policy{Timeout: 5, Deadline: 2, Retries: 1, RetryOnTimeout: true}
	want = []retry.Difference{{
		What: "the timeout per attempt", Declared: "5s", Effective: "the deadline, 2s", Code: "per-attempt-timeout-dead",
		Why: "the deadline ends the call before the timeout can act, so an attempt that is too slow is never retried",
	}}
	if diff := cmp.Diff(want, policy.Effective().Differences); diff != "" {
		t.Error(diff)
	}
}

// A deadline that leaves no time after a timeout still leaves time after an
// error that comes at once.
func TestDeadTimeoutStillRetriesErrors(t *testing.T) {
	e := retry.Policy{Timeout: 2, Deadline: 2, Retries: 2, RetryOnTimeout: true}.Effective()
	o := e.Outcome([]float64{0.01})
	o.E = 0.02
	if got, want := retry.FallbackRatio(o).Total(), 0.01*(1+0.02+0.02*0.02)+0.02*0.02*0.02; !near(got, want, 1e-12) {
		t.Errorf("F = %v, want %v", got, want)
	}
	o.E = 0
	if got := retry.FallbackRatio(o).Total(); got != 0.01 {
		t.Errorf("F = %v without errors, want p: a timed-out attempt is not retried", got)
	}
	if a := retry.Amplification(o); a != 1 {
		t.Errorf("A = %v without errors, want one attempt", a)
	}
}

func TestPolicyValidateNamesEverything(t *testing.T) {
	nan := math.NaN()
	err := retry.Policy{
		Timeout: -1, Deadline: math.Inf(1), HedgeAfter: nan, Retries: 1e9, AttemptLimit: -1, Budget: &nan,
		Backoff: retry.Backoff{Initial: -1, Max: nan, Multiplier: nan},
	}.Validate()
	for _, want := range []string{
		"timeout must be 0 (none) or a positive number of seconds, got -1",
		"deadline must be 0 (none) or a positive number of seconds, got +Inf",
		"hedge after must be 0 (none) or a positive number of seconds, got NaN",
		"retries must be between 0 and 100, got 1000000000",
		"attempt limit must be 0 (none) or more, got -1",
		"retry budget must be 0 or more, got NaN",
		"backoff initial must be 0 (none)", "backoff max must be 0 (none)", "backoff multiplier must be at least 1, got NaN",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v\nlacks %q", err, want)
		}
	}
	valid := retry.Policy{Timeout: 2, Deadline: 5, Retries: 2, Backoff: retry.Backoff{Initial: 0.1, Multiplier: 2}}
	if err := valid.Validate(); err != nil {
		t.Errorf("a valid policy is refused: %v", err)
	}
}

func TestBackoff(t *testing.T) {
	for name, tc := range map[string]struct {
		backoff retry.Backoff
		waits   []float64 // before retry 1, 2, …
	}{
		"none":               {retry.Backoff{}, []float64{0, 0, 0}},
		"constant":           {retry.Backoff{Initial: 0.5}, []float64{0.5, 0.5, 0.5}},
		"exponential":        {retry.Backoff{Initial: 0.1, Multiplier: 2}, []float64{0.1, 0.2, 0.4}},
		"capped":             {retry.Backoff{Initial: 0.1, Multiplier: 10, Max: 0.3}, []float64{0.1, 0.3, 0.3}},
		"cap below initial":  {retry.Backoff{Initial: 1, Multiplier: 2, Max: 0.2}, []float64{0.2, 0.2, 0.2}},
		"shrinking is not":   {retry.Backoff{Initial: 1, Multiplier: 0.5}, []float64{1, 1, 1}},
		"values are no time": {retry.Backoff{Initial: math.NaN(), Multiplier: math.NaN(), Max: -1}, []float64{0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			sum := 0.0
			for i, want := range tc.waits {
				if got := tc.backoff.Wait(i + 1); !near(got, want, 1e-12) || tc.backoff.Mean(i+1) != got {
					t.Errorf("wait before retry %d = %v, mean %v, want %v", i+1, got, tc.backoff.Mean(i+1), want)
				}
				sum += want
			}
			if got := tc.backoff.Total(len(tc.waits)); !near(got, sum, 1e-12) {
				t.Errorf("total = %v, want %v", got, sum)
			}
			jittered := tc.backoff
			jittered.FullJitter = true
			if got := jittered.MeanTotal(len(tc.waits)); !near(got, sum/2, 1e-12) || !near(jittered.Total(len(tc.waits)), sum, 1e-12) {
				t.Errorf("full jitter waits %v on average, want half of %v", got, sum)
			}
		})
	}
	if got := (retry.Backoff{Initial: 1}).Wait(0); got != 0 {
		t.Errorf("the first attempt waits %v", got)
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add(2.0, 5.0, 2, true, 0.1, 2.0, 1.0, 0.0, 5)
	f.Add(math.NaN(), math.Inf(1), -1, false, math.NaN(), -2.0, math.Inf(1), -1.0, -1)
	f.Add(1e308, 1e308, 1<<60, true, 1e308, 1e308, 0.0, 1e-320, 0)
	f.Add(5e-324, 5e-324, 100, true, 5e-324, 1.0, 0.0, 1.0, 1)
	f.Fuzz(func(t *testing.T, timeout, deadline float64, retries int, retried bool, initial, multiplier, limit, hedge float64, allowed int) {
		p := retry.Policy{
			Timeout: timeout, Deadline: deadline, Retries: retries, RetryOnTimeout: retried, HedgeAfter: hedge, AttemptLimit: allowed,
			Backoff: retry.Backoff{Initial: initial, Multiplier: multiplier, Max: limit, FullJitter: retries%2 == 0},
		}
		e := p.Effective()
		if e.Attempts != len(e.Timeouts) || e.Attempts < 1 || e.WorstCase < 1 || e.WorstCase > retry.MaxAttempts || e.Attempts > e.WorstCase {
			t.Fatalf("%+v: %d attempts, %d at worst", p, e.Attempts, e.WorstCase)
		}
		for _, x := range append([]float64{e.HedgeAfter, e.Longest}, e.Timeouts...) {
			if !(x >= 0) {
				t.Fatalf("%+v: %v in %+v", p, x, e)
			}
		}
		if deadline > 0 && !math.IsInf(deadline, 1) && e.Longest > deadline {
			t.Fatalf("%+v outlives its deadline: %v", p, e.Longest)
		}
	})
}
