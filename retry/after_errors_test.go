package retry_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

func TestErrorsUseUpTheDeadline(t *testing.T) {
	const slow = 0.2
	for name, tc := range map[string]struct {
		policy retry.Policy
		errors float64
		want   [][]float64
	}{
		"without a deadline nothing changes": {
			retry.Policy{Timeout: 0.4, Retries: 2, RetryOnTimeout: true}, slow, nil,
		},
		"errors at once change nothing": {
			retry.Policy{Timeout: 0.4, Deadline: 1, Retries: 2, RetryOnTimeout: true}, 0, nil,
		},
		"a deadline that holds all of it changes nothing": {
			retry.Policy{Timeout: 0.4, Deadline: 1.2, Retries: 2, RetryOnTimeout: true}, slow, nil,
		},
		"what is left cuts an attempt": {
			retry.Policy{Timeout: 0.4, Deadline: 0.7, Retries: 2, RetryOnTimeout: true}, slow,
			[][]float64{{0.4, 0.1}, {0.3}},
		},
		"waits count": {
			retry.Policy{Timeout: 0.4, Deadline: 0.7, Retries: 2, RetryOnTimeout: true, Backoff: retry.Backoff{Initial: 0.1}}, slow,
			[][]float64{{0.4}, {0.1}},
		},
		"a call that is over makes no attempt": {
			retry.Policy{Timeout: 0.25, Deadline: 0.5, Retries: 3, RetryOnTimeout: true}, slow,
			[][]float64{{0.25, 0.05}, {0.1}, nil},
		},
		"timeouts that are not retried leave one attempt": {
			retry.Policy{Timeout: 0.4, Deadline: 0.7, Retries: 2}, slow,
			[][]float64{{0.4}, {0.3}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := tc.policy.Effective().AfterErrors(tc.errors)
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// One error and nothing else can precede the second attempt, so every sequence
// is short enough to be added up by hand.
func TestSlowErrorsRaiseTheFallbackRatio(t *testing.T) {
	o := retry.Outcome{P: []float64{0.1, 0.1}, E: 0.2, Attempts: 2, RetryOnTimeout: true}
	at := func(o retry.Outcome) (f, a float64) { return retry.FallbackRatio(o).Total(), retry.Amplification(o) }
	f, a := at(o)
	if !near(f, 0.3*0.3, 1e-12) || !near(a, 1.3, 1e-12) {
		t.Errorf("errors at once: F %v, A %v", f, a)
	}
	o.AfterErrors = [][]float64{{0.5}}
	f, a = at(o)
	if !near(f, 0.1*0.3+0.2*(0.5+0.2), 1e-12) || !near(a, 1.3, 1e-12) {
		t.Errorf("errors leave less time: F %v, A %v", f, a)
	}
	o.AfterErrors = [][]float64{nil}
	f, a = at(o)
	if !near(f, 0.1*0.3+0.2, 1e-12) || !near(a, 1.1, 1e-12) {
		t.Errorf("errors leave no time: F %v, A %v", f, a)
	}
	o.Correlation = 1
	f, a = at(o)
	if !near(f, 0.3, 1e-12) || !near(a, 1.1, 1e-12) {
		t.Errorf("errors leave no time, one fate: F %v, A %v", f, a)
	}
}
