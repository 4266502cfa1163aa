package retry_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

func TestChainOfLayers(t *testing.T) {
	// A client library's 2 retries under an application's 3.
	if diff := cmp.Diff([]float64{4, 12}, retry.WorstCaseChain([]int{4, 3})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{1, 2, 2}, retry.WorstCaseChain([]int{0, 2, -7})); diff != "" {
		t.Errorf("a layer makes at least one attempt: %s", diff)
	}
	if diff := cmp.Diff([]float64{1, 1.5, 1.5}, retry.ExpectedChain([]float64{0.2, 1.5, math.NaN()})); diff != "" {
		t.Errorf("a layer makes at least one attempt: %s", diff)
	}
	if deep := retry.WorstCaseChain(make100(101)); math.IsInf(deep[len(deep)-1], 1) {
		t.Error("a deep chain overflows")
	}
}

func make100(n int) []int {
	attempts := make([]int, 200)
	for i := range attempts {
		attempts[i] = n
	}
	return attempts
}

func TestNestedCallsNeedRoomForTheirInnerAttempts(t *testing.T) {
	got := retry.NestedNeeded(retry.NestedOptions{Own: 0.04, Attempts: 2, Timeout: 0.3, Overhead: 0.005, Backoff: 0.1})
	if want := 0.04 + 2*0.305 + 0.1; !near(got, want, 1e-12) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWhatTheEdgeSpendsCounts(t *testing.T) {
	got := retry.BudgetNeeded(retry.NeedOptions{
		Edge: 0.04, Factor: 2, Overhead: 0.005, Calls: [][]retry.HopCost{{{P99: 0.1, Attempts: 1}}, {}}})
	if !near(got, 0.245, 1e-12) {
		t.Errorf("got %v, want 0.245", got)
	}
}

func TestUnknownCostsNeverFit(t *testing.T) {
	nan := math.NaN()
	if share := retry.AttemptShare(retry.ShareOptions{Deadline: nan, Hops: 2, Attempts: 1, Overhead: 0.1}); !(share < 0) {
		t.Errorf("share of an unknown deadline = %v, want less than nothing", share)
	}
	if share := retry.AttemptShare(retry.ShareOptions{Deadline: 2, Hops: 2, Attempts: 1, Overhead: nan}); !(share < 0) {
		t.Errorf("share beside an unknown overhead = %v, want less than nothing", share)
	}
	if r := retry.DeadlineRemaining(2, 0, []float64{1, nan, 1}); r.Before[1] != 1 || !(r.Before[2] < 0) || !(r.After < 0) {
		t.Errorf("remaining after an unknown time = %+v, want less than nothing", r)
	}
	if need := retry.BudgetNeeded(retry.NeedOptions{Factor: 1, Calls: [][]retry.HopCost{{{P99: nan, Attempts: 1}}}}); !(need > 1e300) {
		t.Errorf("need of an unknown p99 = %v, want more than any deadline", need)
	}
}

func TestFanOut(t *testing.T) {
	for name, tc := range map[string]struct{ got, want float64 }{
		"nothing is called":           {retry.FanOut(0.01, 0), 0},
		"all fail":                    {retry.FanOut(1, 3), 1},
		"tiny ratios do not vanish":   {retry.FanOut(1e-18, 1000), 1e-15},
		"unknown counts as the worst": {retry.FanOut(math.NaN(), 2), 1},
		"the tail of one":             {retry.FanOutTail(0.01, 1), 0.01},
		"the tail of three":           {retry.FanOutTail(0.01, 3), 1 - math.Cbrt(0.99)},
		"there and back":              {retry.FanOut(retry.FanOutTail(0.01, 7), 7), 0.01},
	} {
		if math.Abs(tc.got-tc.want) > 1e-12*tc.want {
			t.Errorf("%s: got %v, want %v", name, tc.got, tc.want)
		}
	}
}

func TestBandOfNothing(t *testing.T) {
	for _, ratio := range []float64{math.NaN(), -1, math.Inf(-1)} {
		if b := retry.BandOf(ratio); b != retry.BandUnknown {
			t.Errorf("BandOf(%v) = %v", ratio, b)
		}
	}
	if b := retry.BandOf(math.Inf(1)); b != retry.BandTooLong {
		t.Errorf("BandOf(+Inf) = %v", b)
	}
}

func TestRecommend(t *testing.T) {
	for name, tc := range map[string]struct {
		in   retry.RecommendOptions
		want retry.Recommendation
	}{
		"quantile and headroom": {
			retry.RecommendOptions{Quantile: 2, Headroom: 0.25, P99: 1},
			retry.Recommendation{Unclipped: 2.5, Timeout: 2.5, Step: 2.5},
		},
		"p99 is the floor": {
			retry.RecommendOptions{Quantile: 1, P99: 1.5},
			retry.Recommendation{Unclipped: 1, Timeout: 1.5, Step: 1.5, AtFloor: true},
		},
		"the budget is the ceiling": {
			retry.RecommendOptions{Quantile: 4, P99: 1, Budget: 2},
			retry.Recommendation{Unclipped: 4, Timeout: 2, Step: 2, Clipped: true},
		},
		"a budget below p99 cannot be met": {
			retry.RecommendOptions{Quantile: 4, P99: 1, Budget: 0.5},
			retry.Recommendation{Unclipped: 4, Timeout: 1, Step: 1, OverBudget: true},
		},
		"a long way up goes in steps": {
			retry.RecommendOptions{Quantile: 4, P99: 1, Declared: 1, MaxStep: 2},
			retry.Recommendation{Unclipped: 4, Timeout: 4, Step: 2},
		},
		"a long way down goes in steps": {
			retry.RecommendOptions{Quantile: 4, P99: 1, Declared: 30, MaxStep: 2},
			retry.Recommendation{Unclipped: 4, Timeout: 4, Step: 15},
		},
		"a short way is one step": {
			retry.RecommendOptions{Quantile: 1.5, P99: 1, Declared: 1, MaxStep: 2},
			retry.Recommendation{Unclipped: 1.5, Timeout: 1.5, Step: 1.5},
		},
		"no quantile, no recommendation": {
			retry.RecommendOptions{Quantile: math.NaN(), P99: 1, Declared: 2}, retry.Recommendation{},
		},
		"what is not a number is not given": {
			retry.RecommendOptions{Quantile: 2, Headroom: math.NaN(), P99: math.NaN(), Budget: -1, Declared: math.Inf(1), MaxStep: math.NaN()},
			retry.Recommendation{Unclipped: 2, Timeout: 2, Step: 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, retry.Recommend(tc.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzBudgets(f *testing.F) {
	f.Add(2.0, 0.005, 0.1, 0.3, 2.0, 4, 2, 0.01)
	f.Add(math.NaN(), math.Inf(1), -1.0, math.NaN(), math.Inf(1), 0, -1, math.NaN())
	f.Add(math.Inf(1), math.MaxFloat64, math.MaxFloat64, math.Inf(1), 0.0, 1<<50, 1<<50, 1.0)
	f.Fuzz(func(t *testing.T, deadline, overhead, backoff, p99, factor float64, hops, attempts int, p float64) {
		remaining := retry.DeadlineRemaining(deadline, overhead, []float64{p99, backoff})
		recommended := retry.Recommend(retry.RecommendOptions{
			Quantile: p99, Headroom: factor, P99: backoff, Budget: deadline, Declared: overhead, MaxStep: p})
		for name, x := range map[string]float64{
			"share": retry.AttemptShare(retry.ShareOptions{Deadline: deadline, Hops: hops, Attempts: attempts, Overhead: overhead, Backoff: backoff}),
			"need": retry.BudgetNeeded(retry.NeedOptions{Overhead: overhead, Edge: backoff, Factor: factor,
				Calls: [][]retry.HopCost{{{P99: p99, Attempts: attempts, Backoff: backoff}}}}),
			"nested":   retry.NestedNeeded(retry.NestedOptions{Own: p99, Attempts: attempts, Timeout: deadline, Overhead: overhead, Backoff: backoff}),
			"after":    remaining.After,
			"before":   remaining.Before[1],
			"fan out":  retry.FanOut(p, hops),
			"tail":     retry.FanOutTail(p, hops),
			"timeout":  recommended.Timeout,
			"step":     recommended.Step,
			"expected": retry.ExpectedChain([]float64{p99, factor})[1],
		} {
			if math.IsNaN(x) {
				t.Fatalf("%s is NaN", name)
			}
		}
	})
}
