package retry_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// vector is one golden case. Its times are milliseconds, and so are those of
// the results: the formulas hold in any unit.
type vector struct {
	ID, Section, Func string
	Input             input
	Expect            map[string]any
	RTol              float64
}

// input is the union of the inputs of all functions tested here.
type input struct {
	P                float64         `json:"p"`
	E                float64         `json:"e"`
	Q                float64         `json:"q"`
	Rho              float64         `json:"rho"`
	Ratio            float64         `json:"ratio"`
	Median           float64         `json:"median"`
	Sigma            float64         `json:"sigma"`
	T                float64         `json:"T"`
	N                int             `json:"n"`
	K                int             `json:"k"`
	Retries          int             `json:"retries"`
	Attempts         json.RawMessage `json:"attempts"` // a count, or one per hop
	Hops             json.RawMessage `json:"hops"`
	Backoffs         []float64       `json:"backoffs"`
	HopTime          []float64       `json:"hop_time"`
	AllTimeout       float64         `json:"all_timeout"`
	AllError         float64         `json:"all_error"`
	Deadline         float64         `json:"deadline"`
	Overhead         float64         `json:"overhead"`
	BackoffTotal     float64         `json:"backoff_total"`
	Factor           float64         `json:"factor"`
	Base             float64         `json:"base"`
	Mult             float64         `json:"mult"`
	Cap              float64         `json:"cap"`
	HedgeAfter       float64         `json:"hedge_after"`
	Target           float64         `json:"target"`
	Headroom         float64         `json:"headroom"`
	RetriesPerCall   float64         `json:"retries_per_call"`
	ExhaustedPerCall float64         `json:"exhausted_per_call"`
	Windows          [][2]float64    `json:"windows"`
	BudgetMax        *float64        `json:"budget_max"`
}

// answers compute what each function of the vectors returns, by result name.
var answers = map[string]func(t *testing.T, in input) map[string]any{
	"fail_all":                      failAll,
	"fail_all_combined":             failAllCombined,
	"fallback_sum":                  fallbackSum,
	"independent_fallback":          independentFallback,
	"expected_attempts":             expectedAttempts,
	"fallback_timeouts_not_retried": timeoutsNotRetried,
	"retry_budget":                  retryBudget,
	"worst_case_chain":              worstCaseChain,
	"expected_chain":                expectedChain,
	"attempt_budget_equal":          attemptShare,
	"deadline_remaining":            deadlineRemaining,
	"budget_feasible":               budgetFeasible,
	"backoff":                       backoff,
	"limited_mean":                  limitedMean,
	"expected_duration":             expectedDuration,
	"hedge":                         hedge,
	"fanout":                        fanOut,
	"rho_counters":                  rhoCounters,
	"rho_windows":                   rhoWindows,
	"recommend_timeout":             recommendTimeout,
	"band":                          band,
}

// elsewhere lists the functions of these sections that other packages answer.
var elsewhere = []string{"clopper_pearson", "cp_compare", "se_log_p99", "rule_of_three"}

func TestGoldenVectors(t *testing.T) {
	data, err := os.ReadFile("../latency/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []json.RawMessage }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, raw := range file.Cases {
		var head struct{ Section, Func string }
		if err := json.Unmarshal(raw, &head); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains([]string{"D", "E", "F"}, head.Section) || slices.Contains(elsewhere, head.Func) {
			continue
		}
		answer, ok := answers[head.Func]
		if !ok {
			t.Errorf("no test for %s", head.Func)
			continue
		}
		var v vector
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		tested++
		t.Run(v.ID+" "+v.Func, func(t *testing.T) {
			got := answer(t, v.Input)
			for name, want := range v.Expect {
				compare(t, name, got[name], want, v.RTol)
			}
		})
	}
	if tested != 71 {
		t.Errorf("tested %d vectors of sections D, E and F, want 71", tested)
	}
}

// compare takes numbers, strings, flags and lists of numbers.
func compare(t *testing.T, name string, got, want any, rtol float64) {
	t.Helper()
	switch want := want.(type) {
	case float64:
		g, ok := got.(float64)
		tolerance := rtol
		if want != 0 {
			tolerance = rtol * math.Abs(want)
		}
		if !ok || !(math.Abs(g-want) <= tolerance) {
			t.Errorf("%s = %v, want %v within %g", name, got, want, rtol)
		}
	case []any:
		g, ok := got.([]float64)
		if !ok || len(g) != len(want) {
			t.Errorf("%s = %v, want %v", name, got, want)
			return
		}
		for i := range want {
			compare(t, name, g[i], want[i], rtol)
		}
	default:
		if got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func (in input) lognormal() latency.Lognormal {
	return latency.Lognormal{Mu: math.Log(in.Median), Sigma: in.Sigma}
}

func (in input) outcome(p float64) retry.Outcome {
	return retry.Outcome{P: retry.Repeat(p, in.N), E: in.E, Correlation: in.Rho, RetryOnTimeout: true}
}

func failAll(_ *testing.T, in input) map[string]any {
	return map[string]any{"v": retry.FallbackRatio(in.outcome(in.P)).Total()}
}

func failAllCombined(_ *testing.T, in input) map[string]any {
	return map[string]any{"q": in.P + in.E, "v": retry.FallbackRatio(in.outcome(in.P)).Total()}
}

func fallbackSum(_ *testing.T, in input) map[string]any {
	v := retry.Fallback{Timeout: in.AllTimeout, Error: in.AllError}.Total()
	return map[string]any{"v": v, "per_day": v * 400000}
}

func independentFallback(_ *testing.T, in input) map[string]any {
	byCause, withMixed := retry.IndependentFallback(in.outcome(in.P))
	return map[string]any{"by_cause_sum": byCause, "with_mixed": withMixed}
}

func expectedAttempts(_ *testing.T, in input) map[string]any {
	return map[string]any{"v": retry.Amplification(in.outcome(in.Q))}
}

func timeoutsNotRetried(_ *testing.T, in input) map[string]any {
	o := in.outcome(in.P)
	o.RetryOnTimeout = false
	return map[string]any{"fallback": retry.FallbackRatio(o).Total(), "attempts": retry.Amplification(o)}
}

func retryBudget(_ *testing.T, in input) map[string]any {
	o := in.outcome(in.Q)
	o.Budget = &in.Ratio
	return map[string]any{
		"amplification": retry.Amplification(o),
		"retry_share":   retry.RetryShare(o),
		"fallback":      retry.FallbackRatio(o).Total(),
	}
}

func worstCaseChain(t *testing.T, in input) map[string]any {
	products := retry.WorstCaseChain(decode[[]int](t, in.Attempts))
	return map[string]any{"per_hop": products, "max": slices.Max(products)}
}

func expectedChain(t *testing.T, in input) map[string]any {
	var amplifications []float64
	for _, hop := range decode[[][3]float64](t, in.Hops) {
		amplifications = append(amplifications, retry.Amplification(retry.Outcome{
			P: retry.Repeat(hop[0], int(hop[2])), Correlation: hop[1], RetryOnTimeout: true}))
	}
	products := retry.ExpectedChain(amplifications)
	return map[string]any{"per_hop": products, "max": slices.Max(products)}
}

func attemptShare(t *testing.T, in input) map[string]any {
	return map[string]any{"per_attempt": retry.AttemptShare(retry.ShareOptions{
		Deadline: in.Deadline, Hops: decode[int](t, in.Hops), Attempts: decode[int](t, in.Attempts),
		Overhead: in.Overhead, Backoff: in.BackoffTotal,
	})}
}

func deadlineRemaining(_ *testing.T, in input) map[string]any {
	r := retry.DeadlineRemaining(in.Deadline, in.Overhead, in.HopTime)
	return map[string]any{"before": r.Before, "after_last": r.After}
}

func budgetFeasible(t *testing.T, in input) map[string]any {
	type hop struct {
		P99      float64
		Attempts int
		Backoff  []float64 `json:"backoff_ms"`
	}
	o := retry.NeedOptions{Overhead: in.Overhead, Factor: in.Factor}
	for _, raw := range decode[[]json.RawMessage](t, in.Hops) {
		var parallel []hop
		if json.Unmarshal(raw, &parallel) != nil {
			parallel = []hop{decode[hop](t, raw)}
		}
		var group []retry.HopCost
		for _, h := range parallel {
			cost := retry.HopCost{P99: h.P99, Attempts: h.Attempts}
			for _, wait := range h.Backoff {
				cost.Backoff += wait
			}
			group = append(group, cost)
		}
		o.Calls = append(o.Calls, group)
	}
	needed := retry.BudgetNeeded(o)
	return map[string]any{"needed": needed, "feasible": needed <= in.Deadline}
}

func backoff(_ *testing.T, in input) map[string]any {
	b := retry.Backoff{Initial: in.Base, Multiplier: in.Mult, Max: in.Cap, FullJitter: true}
	return map[string]any{"max_total": b.Total(in.Retries), "full_jitter_mean": b.MeanTotal(in.Retries)}
}

func limitedMean(_ *testing.T, in input) map[string]any {
	return map[string]any{"v": in.lognormal().LimitedMean(in.T)}
}

func expectedDuration(_ *testing.T, in input) map[string]any {
	return map[string]any{
		"p": in.lognormal().Survival(in.T),
		"v": retry.ExpectedDuration(retry.DurationOptions{
			Latency:     in.lognormal(),
			Correlation: in.Rho,
			Policy: retry.Policy{
				Timeout: in.T, Retries: len(in.Backoffs), RetryOnTimeout: true,
				Backoff: retry.Backoff{Initial: in.Backoffs[0], Multiplier: 2},
			},
		}),
	}
}

func hedge(_ *testing.T, in input) map[string]any {
	h := retry.Hedge{Latency: in.lognormal(), Timeout: in.T, After: in.HedgeAfter, Correlation: in.Rho}
	return map[string]any{"fail": h.FailureRatio(), "extra_load": h.ExtraLoad()}
}

func fanOut(_ *testing.T, in input) map[string]any {
	return map[string]any{"v": retry.FanOut(in.P, in.K)}
}

// rhoCounters takes the ratios as counts of a billion calls.
func rhoCounters(t *testing.T, in input) map[string]any {
	const calls = 1e9
	c, err := retry.RhoFromCounters(retry.CallCounts{
		Attempts: in.N, Calls: calls, Retries: in.RetriesPerCall * calls, Exhausted: in.ExhaustedPerCall * calls})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"p": c.P, "rho": c.Rho}
}

// rhoWindows compares the estimate and, as rho_naive, the one it improves on:
// powers of the window's ratio instead of falling factorials.
func rhoWindows(t *testing.T, in input) map[string]any {
	var windows []retry.WindowCount
	attempts, powers := 0.0, 0.0
	for _, w := range in.Windows {
		windows = append(windows, retry.WindowCount{Timeouts: w[0], Attempts: w[1]})
		attempts += w[1]
		powers += w[1] * math.Pow(w[0]/w[1], float64(in.N))
	}
	c, err := retry.RhoFromWindows(in.N, windows)
	if err != nil {
		t.Fatal(err)
	}
	independent := math.Pow(c.P, float64(in.N))
	naive := (powers/attempts - independent) / (c.P - independent)
	return map[string]any{"pbar": c.P, "moment": c.Moment, "rho": c.Rho, "rho_naive": naive}
}

func recommendTimeout(_ *testing.T, in input) map[string]any {
	r := retry.Recommend(retry.RecommendOptions{
		Quantile: in.lognormal().Quantile(in.Target), Headroom: in.Headroom, P99: in.lognormal().Quantile(0.01)})
	return map[string]any{"unclipped": r.Unclipped, "T": r.Timeout, "clipped": r.Clipped}
}

func band(_ *testing.T, in input) map[string]any {
	return map[string]any{"band": string(retry.BandOf(in.Ratio))}
}
