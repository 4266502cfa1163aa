package report_test

import (
	"math"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

// survival is a share of attempts beyond a time in seconds.
type survival func(seconds float64) float64

func lognormal(median, sigma float64) survival {
	return latency.Lognormal{Mu: math.Log(median), Sigma: sigma}.Survival
}

// twoModes is a cache: 80% hits around 10 ms, 20% misses around 200 ms.
func twoModes(t float64) float64 { return 0.8*lognormal(0.010, 0.4)(t) + 0.2*lognormal(0.2, 0.3)(t) }

// cutAt records all that would take longer shortly after the limit.
func cutAt(limit float64, s survival) survival {
	return func(t float64) float64 {
		if t > limit+0.002 {
			return 0
		}
		return s(min(t, limit))
	}
}

// droppedAt is what is left of a distribution when all beyond the limit is lost.
func droppedAt(limit float64, s survival) survival {
	return func(t float64) float64 { return max(s(t)-s(limit), 0) / (1 - s(limit)) }
}

func classicBounds() []float64 {
	return []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}
}

// window has n attempts in 12 parts, with 20 samples per series in each, the
// tail a little heavier in every third part.
func window(t *testing.T, bounds []float64, n float64, s survival) latency.Window {
	t.Helper()
	w := latency.Window{Scrapes: 20}
	for part := range 12 {
		heavier := 0.0
		if part%3 == 0 {
			heavier = 0.2
		}
		cumulative := make([]float64, len(bounds)+1)
		for i, bound := range bounds {
			above := s(bound)
			above *= 1 + heavier*(1-above)
			cumulative[i] = n / 12 * (1 - above)
		}
		cumulative[len(bounds)] = n / 12
		h, err := latency.FromCumulative(bounds, cumulative)
		if err != nil {
			t.Fatal(err)
		}
		w.Parts = append(w.Parts, h)
	}
	return w
}

// observed is a dependency with one window's counts and the quantiles of them.
func observed(t *testing.T, dep config.Dependency, w latency.Window) audit.Input {
	t.Helper()
	whole, err := w.Merged()
	if err != nil {
		t.Fatal(err)
	}
	p50, _ := whole.Quantile(0.5)
	p99, _ := whole.Quantile(0.99)
	at := reporttest.Start
	return audit.Input{Dependency: &dep, At: at, Observation: latency.Observation{
		At: at, Window: time.Hour, Now: w, P50: &p50, P99: &p99,
		Queries: []latency.Query{{Purpose: "buckets", PromQL: latency.Words("sum by (le) (increase(latency_seconds_bucket[5m]))")}},
	}}
}

// native turns classic parts into exponential ones of schema 2.
func native(t *testing.T, n float64, s survival) latency.Window {
	t.Helper()
	var bounds []float64
	for i := -40; i <= 8; i++ {
		bounds = append(bounds, math.Exp2(float64(i)/4))
	}
	w := window(t, bounds, n, s)
	for i := range w.Parts {
		h := &w.Parts[i]
		h.Scheme = latency.Exponential
		h.Bins = h.Bins[1 : len(h.Bins)-1]
	}
	return w
}

// scenarios is one report in which every way to a verdict, and every way to
// none, has a dependency.
func scenarios(t *testing.T) *report.Report {
	t.Helper()
	var inputs []audit.Input
	add := func(name string, w latency.Window, change func(dep *config.Dependency, o *latency.Observation)) {
		in := observed(t, reporttest.Dependency(name), w)
		if change != nil {
			change(in.Dependency, &in.Observation)
		}
		inputs = append(inputs, in)
	}
	classic := func(n float64, s survival) latency.Window { return window(t, classicBounds(), n, s) }
	plain := lognormal(0.05, 0.8)
	number := func(x float64) *float64 { return &x }

	add("two-modes", classic(60000, twoModes), func(dep *config.Dependency, o *latency.Observation) {
		dep.Policy.Timeout, dep.Latency.Timeouts = 350*time.Millisecond, "auto"
	})
	add("one-mode", classic(60000, plain), func(dep *config.Dependency, o *latency.Observation) {
		dep.Policy.Timeout = 300 * time.Millisecond
		o.Before = classic(50000, plain)
	})
	add("heavy-tail", classic(60000, func(t float64) float64 { return 1 / (1 + t*t*400) }), func(dep *config.Dependency, o *latency.Observation) {
		dep.Policy.Timeout = 300 * time.Millisecond
	})
	add("recorded", classic(60000, cutAt(0.3, plain)), func(dep *config.Dependency, o *latency.Observation) {
		dep.Policy.Timeout, dep.Latency.Timeouts = 300*time.Millisecond, "auto"
	})
	add("recorded-coarse", classic(60000, cutAt(0.3, twoModes)), func(dep *config.Dependency, o *latency.Observation) {
		dep.Policy.Timeout, dep.Latency.Timeouts = 300*time.Millisecond, "recorded"
	})
	add("dropped", classic(60000, droppedAt(0.25, plain)), func(dep *config.Dependency, o *latency.Observation) {
		dep.Latency.Timeouts = "dropped"
	})
	add("dropped-bent", classic(60000, droppedAt(0.25, twoModes)), func(dep *config.Dependency, o *latency.Observation) {
		dep.Latency.Timeouts = "dropped"
	})
	add("dropped-few-bins", window(t, []float64{0.1, 1}, 60000, lognormal(0.02, 0.3)), func(dep *config.Dependency, o *latency.Observation) {
		dep.Latency.Timeouts = "dropped"
	})
	add("measured", classic(60000, droppedAt(0.25, plain)), func(dep *config.Dependency, o *latency.Observation) {
		o.Observed.Attempts, o.Observed.Timeouts = number(61500), number(1400)
	})
	add("measured-otherwise", classic(60000, plain), func(dep *config.Dependency, o *latency.Observation) {
		o.Observed.Attempts, o.Observed.Timeouts = number(60000), number(6)
	})
	add("native", native(t, 60000, plain), nil)
	add("top-bucket", window(t, []float64{0.05, 0.1}, 60000, plain), func(dep *config.Dependency, o *latency.Observation) {
		dep.Policy.Timeout, dep.Policy.Deadline = 2*time.Second, 10*time.Second
	})
	add("first-bucket", window(t, []float64{0.5, 1}, 60000, plain), nil)
	few := []float64{0.1, 0.2, 0.4, 0.8}
	bent := func(t float64) float64 { return 0.5*lognormal(0.01, 0.2)(t) + 0.5*lognormal(0.25, 0.3)(t) }
	for name, timeout := range map[string]time.Duration{
		"line-at-t": 300 * time.Millisecond, "line-below": 900 * time.Millisecond, "line-above": 50 * time.Millisecond,
	} {
		add(name, window(t, few, 60000, bent), func(dep *config.Dependency, o *latency.Observation) { dep.Policy.Timeout = timeout })
	}
	add("line-to-nothing", window(t, few, 60000, cutAt(0.398, bent)), func(dep *config.Dependency, o *latency.Observation) {
		dep.Policy.Timeout = 300 * time.Millisecond
	})
	add("slow-scrapes", classic(60000, plain), func(dep *config.Dependency, o *latency.Observation) { o.Now.Scrapes = 0.5 })
	add("few-scrapes", classic(60000, plain), func(dep *config.Dependency, o *latency.Observation) {
		o.Now.Parts, o.Now.Scrapes = o.Now.Parts[:2], 4
	})
	addPolicies(add, classic(60000, plain))
	addRefusals(add, classic(60000, plain))
	return reporttest.Cycle(nil, reporttest.Start, inputs...)
}

type adder func(name string, w latency.Window, change func(dep *config.Dependency, o *latency.Observation))

// addPolicies differ in what is declared.
func addPolicies(add adder, w latency.Window) {
	number := func(x float64) *float64 { return &x }
	add("call-scope", w, func(dep *config.Dependency, _ *latency.Observation) {
		dep.Latency.Scope, dep.Policy.Deadline = "call", 500*time.Millisecond
	})
	add("no-timeout", w, func(dep *config.Dependency, _ *latency.Observation) {
		dep.Policy.Timeout, dep.Policy.Deadline = 0, 0
	})
	add("budget", w, func(dep *config.Dependency, _ *latency.Observation) { dep.Policy.RetryBudget = number(0.01) })
	add("not-retried", w, func(dep *config.Dependency, _ *latency.Observation) {
		dep.Policy.RetryOnTimeout, dep.ErrorRatio.Value = false, 0.02
	})
	add("deadline-cuts", w, func(dep *config.Dependency, _ *latency.Observation) {
		dep.Policy.Deadline = 600 * time.Millisecond
	})
	add("slow-errors", w, func(dep *config.Dependency, _ *latency.Observation) {
		dep.Policy.Deadline, dep.ErrorRatio.Value = 500*time.Millisecond, 0.1
	})
	add("hedged", w, func(dep *config.Dependency, _ *latency.Observation) {
		dep.Policy.HedgeAfter = 100 * time.Millisecond
	})
	add("many-attempts", w, func(dep *config.Dependency, _ *latency.Observation) {
		dep.Policy.Retries, dep.Policy.Backoff.Initial = 9, 10*time.Millisecond
	})
	add("errors-include-timeouts", w, func(dep *config.Dependency, o *latency.Observation) {
		dep.ErrorRatio, dep.ErrorRatioIncludesTimeouts = config.ErrorRatio{Query: "errors"}, true
		o.ErrorRatio = number(0.06)
	})
	add("errors-unanswered", w, func(dep *config.Dependency, _ *latency.Observation) {
		dep.ErrorRatio = config.ErrorRatio{Query: "errors"}
	})
	add("calls-counted", w, func(dep *config.Dependency, o *latency.Observation) {
		dep.Correlation.Auto = true
		o.Observed = latency.Counters{Attempts: number(60000), Calls: number(58000), Retries: number(2300), Fallbacks: number(900)}
	})
}

// addRefusals are observations that say little or contradict themselves.
func addRefusals(add adder, w latency.Window) {
	number := func(x float64) *float64 { return &x }
	add("contradicting", latency.Window{Scrapes: 20, Parts: []latency.Histogram{{
		Scheme: latency.Classic, Sum: number(1e6),
		Bins: []latency.Bin{{Lower: 0, Upper: 0.25, Count: 900}, {Lower: 0.25, Upper: 1, Count: 100}},
	}}}, nil)
	add("quantiles-only", latency.Window{}, func(_ *config.Dependency, o *latency.Observation) {
		o.QuantilesOnly, o.P50, o.P99 = true, number(0.05), number(0.4)
		o.Quantiles = []latency.QuantilePoint{{P: 0.5, Seconds: 0.05}, {P: 0.9, Seconds: 0.2}, {P: 0.99, Seconds: 0.4}}
	})
	add("no-quantiles", w, func(_ *config.Dependency, o *latency.Observation) { o.P50, o.P99 = nil, nil })
	add("falling-quantiles", w, func(_ *config.Dependency, o *latency.Observation) { o.P50 = number(3) })
	add("equal-quantiles", w, func(_ *config.Dependency, o *latency.Observation) { o.P50 = o.P99 })
	add("empty", latency.Window{Scrapes: 20, Parts: []latency.Histogram{{Scheme: latency.Classic, Bins: []latency.Bin{{Lower: 0, Upper: 1}, {Lower: 1, Upper: math.Inf(1)}}}}}, nil)
}
