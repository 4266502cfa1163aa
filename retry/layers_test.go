package retry_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

// A public report: a client library's 2 retries under an application's 3.
func TestLayersThatRetryMultiply(t *testing.T) {
	e := retry.Policy{Timeout: 1, Retries: 3, RetryOnTimeout: true,
		Layers: []retry.Layer{{Name: "client library", Attempts: 3}}}.Effective()
	if e.WorstCase != 12 || e.Attempts != 12 {
		t.Errorf("worst case %d, attempts %d, want 12", e.WorstCase, e.Attempts)
	}
	i := slices.IndexFunc(e.Differences, func(d retry.Difference) bool { return d.Code == retry.CodeLayersMultiply })
	if i < 0 || !strings.Contains(e.Differences[i].Why, "the policy 4 × client library 3") {
		t.Errorf("differences %+v do not show the product", e.Differences)
	}
}

func TestShortestTimeoutOfAllLayersWins(t *testing.T) {
	for name, tc := range map[string]struct {
		policy retry.Policy
		want   float64
		says   bool
	}{
		"a mesh below": {retry.Policy{Timeout: 2, Layers: []retry.Layer{{Name: "library", Attempts: 1, Timeout: 3}, {Name: "mesh", Attempts: 1, Timeout: 0.5}}}, 0.5, true},
		"the policy":   {retry.Policy{Timeout: 2, Layers: []retry.Layer{{Name: "mesh", Attempts: 1, Timeout: 5}}}, 2, false},
		"none but one": {retry.Policy{Layers: []retry.Layer{{Name: "mesh", Attempts: 1, Timeout: 5}}}, 5, true},
	} {
		e := tc.policy.Effective()
		if e.Timeouts[0] != tc.want {
			t.Errorf("%s: timeout %v, want %v", name, e.Timeouts[0], tc.want)
		}
		said := slices.ContainsFunc(e.Differences, func(d retry.Difference) bool { return d.Code == retry.CodeLayerTimeout })
		if said != tc.says {
			t.Errorf("%s: difference said %t, want %t: %+v", name, said, tc.says, e.Differences)
		}
	}
}

func TestDeadlineHoldsForTheAttemptsOfAllLayers(t *testing.T) {
	e := retry.Policy{Timeout: 1, Retries: 1, RetryOnTimeout: true, Deadline: 2.5, Layers: []retry.Layer{{Name: "mesh", Attempts: 2}}}.Effective()
	if e.Attempts != 3 || e.Timeouts[2] != 0.5 {
		t.Errorf("attempts %d with timeouts %v, want 3 of the declared 4 and half a second for the last", e.Attempts, e.Timeouts)
	}
}

func TestImpossibleLayersAreRefused(t *testing.T) {
	err := retry.Policy{Layers: []retry.Layer{{Name: "mesh", Attempts: 0}, {Name: "library", Attempts: 1, Timeout: -1}}}.Validate()
	if err == nil || !strings.Contains(err.Error(), `"mesh"`) || !strings.Contains(err.Error(), `"library"`) {
		t.Errorf("error %v, want both layers named", err)
	}
}
