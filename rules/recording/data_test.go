package recording_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/rules/recording"
)

// measured is a dependency that a histogram or summary measures.
func measured(histogram, kind string, scale float64) config.Dependency {
	return config.Dependency{
		Name: histogram, Caller: "checkout", Owner: "team-pay", Window: time.Hour,
		Latency:     config.Latency{Histogram: histogram, Kind: kind, UnitScale: scale, Scope: "attempt", Timeouts: "auto"},
		Policy:      config.Policy{Timeout: 2 * time.Second, Retries: 2, RetryOnTimeout: true, Fallback: "error"},
		Correlation: config.Correlation{Value: 0.5},
	}
}

func histories(now time.Time) *past {
	b := &past{now: now}
	bounds := []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}
	b.histogram("steady_seconds", bounds, 500, lognormal(0.18, 0.8))
	b.histogram("steady_milliseconds", []float64{50, 100, 250, 500, 1000, 2500, 5000}, 500, lognormal(180, 0.8))
	b.histogram("beyond_seconds", bounds, 500, lognormal(3, 1))
	b.histogram("idle_seconds", bounds, 0, lognormal(3, 1))
	b.histogram("thin_seconds", bounds, 1, lognormal(0.18, 0.8))
	b.histogram("fast_seconds", bounds, 500, lognormal(0.002, 0.5))
	b.histogram("coarse_seconds", []float64{5, 10}, 500, lognormal(0.4, 0.5))
	b.histogram("slow_seconds", bounds, 500, lognormal(0.7, 0.8))
	for _, s := range []struct {
		name string
		p50  float64
		p99  float64
	}{{"summary_seconds", 0.18, 1.4}, {"flat_seconds", 0.3, 0.3}, {"nan_seconds", math.NaN(), math.NaN()}} {
		b.add(s.name+`{quantile="0.5"}`, func(int) float64 { return s.p50 })
		b.add(s.name+`{quantile="0.99"}`, func(int) float64 { return s.p99 })
		b.add(s.name+"_count", func(i int) float64 { return float64(100 * i) })
	}
	b.add("errors_total", func(i int) float64 { return float64(3 * i) })
	b.add("calls_total", func(i int) float64 { return float64(100 * i) })
	return b
}

// measuredDependencies are one of each kind of data.
func measuredDependencies() []config.Dependency {
	hedged := measured("steady_seconds", "classic", 1)
	hedged.Name, hedged.Policy.HedgeAfter = "hedged", time.Second
	queried := measured("steady_seconds", "auto", 1)
	queried.Name, queried.ErrorRatio.Query = "queried", "sum(rate(errors_total[$window])) / sum(rate(calls_total[$window]))"
	including := queried
	including.Name, including.ErrorRatioIncludesTimeouts = "including", true
	unanswered := queried
	unanswered.Name, unanswered.ErrorRatio.Query = "unanswered", "sum(rate(nothing_total[$window]))"
	call := measured("steady_seconds", "auto", 1)
	call.Name, call.Latency.Scope, call.Policy.Deadline = "call", "call", 3*time.Second
	endless := measured("steady_seconds", "auto", 1)
	endless.Name, endless.Policy.Timeout = "endless", 0
	several := measured("", "auto", 1)
	several.Name, several.Latency.Quantiles = "several", []config.Quantile{
		{P: 0.5, Query: "0.18"}, {P: 0.9, Query: "vector(0.6)"}, {P: 0.99, Query: "max(summary_seconds)"},
	}
	ambiguous := several
	ambiguous.Name, ambiguous.Latency.Quantiles = "ambiguous", []config.Quantile{{P: 0.5, Query: "summary_seconds"}, {P: 0.99, Query: "vector(1)"}}
	falling := several
	falling.Name, falling.Latency.Quantiles = "falling", []config.Quantile{
		{P: 0.5, Query: "0.18"}, {P: 0.9, Query: "vector(1.6)"}, {P: 0.99, Query: "vector(1.5)"},
	}
	return []config.Dependency{
		measured("steady_seconds", "auto", 1), measured("steady_milliseconds", "classic", 0.001), measured("beyond_seconds", "auto", 1),
		measured("idle_seconds", "auto", 1), measured("thin_seconds", "classic", 1), measured("absent_seconds", "auto", 1),
		measured("slow_seconds", "auto", 1), measured("fast_seconds", "auto", 1), measured("coarse_seconds", "classic", 1),
		measured("summary_seconds", "summary", 1), measured("flat_seconds", "summary", 1), measured("nan_seconds", "summary", 1),
		hedged, queried, including, unanswered, call, endless, several, ambiguous, falling,
	}
}

func TestRealPrometheusOnMeasuredLatency(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	cfg := &config.Config{Dependencies: measuredDependencies()}
	s := evaluateOn(t, cfg, histories(now).blocks(t))
	client, err := promquery.New(promquery.Options{Prometheus: config.Prometheus{URL: s.url, QueryTimeout: time.Minute, MaxConcurrentQueries: 4}})
	if err != nil {
		t.Fatal(err)
	}
	recorded := s.values(t, recording.FalseTimeoutRatio)
	amplifications, errorRatios := s.values(t, recording.Amplification), s.values(t, recording.ErrorRatio)
	at := time.Unix(int64(s.values(t, "timestamp("+recording.FalseTimeoutRatio+")")["steady_seconds"]), 0)
	for i, r := range client.Observe(t.Context(), cfg.Dependencies, at) {
		dep := cfg.Dependencies[i]
		p, known := recorded[dep.Name]
		if r.Err != nil {
			if known {
				t.Errorf("%s: recorded %g, and the auditor says %v", dep.Name, p, r.Err)
			}
			continue
		}
		a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: r.Observation})
		switch {
		case slices.Contains([]string{"beyond_seconds", "fast_seconds", "coarse_seconds"}, dep.Name):
			// The auditor has a bound's own rank, or says that nothing is resolved.
			if known {
				t.Errorf("%s: recorded %g from quantiles that are only bounds", dep.Name, p)
			}
		case a.LognormalRatio == nil || a.Lognormal.PointMass():
			if known {
				t.Errorf("%s: recorded %g, want nothing", dep.Name, p)
			}
		case !known || math.Abs(p / *a.LognormalRatio - 1) > 1e-3:
			t.Errorf("%s: recorded %v, want %v", dep.Name, p, *a.LognormalRatio)
		}
		if a.ErrorRatio == nil || dep.Name == "hedged" || !known || dep.Latency.Scope == "call" {
			if _, ok := amplifications[dep.Name]; ok {
				t.Errorf("%s: an amplification is recorded", dep.Name)
			}
			continue
		}
		want := *a.ErrorRatio
		if dep.ErrorRatioIncludesTimeouts {
			want -= p
		}
		if got := errorRatios[dep.Name]; math.Abs(got-want) > 1e-3*want {
			t.Errorf("%s: error ratio %g, want %g", dep.Name, got, want)
		}
	}
	t.Run("what is unknown says why", func(t *testing.T) { saysWhy(t, s) })
	t.Run("a timeout that nothing declares is marked", func(t *testing.T) {
		got := s.values(t, recording.NoTimeout)
		if diff := cmp.Diff(map[string]float64{"endless": 1}, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
	t.Run("the alerts fire where they should", func(t *testing.T) { alertsFire(t, s) })
}

func alertsFire(t *testing.T, s server) {
	var answer struct {
		Alerts []struct{ Labels map[string]string }
	}
	s.get(t, "/api/v1/alerts", &answer)
	got := map[string][]string{}
	for _, a := range answer.Alerts {
		name := a.Labels["alertname"]
		got[name] = append(got[name], a.Labels["dependency"])
		slices.Sort(got[name])
	}
	want := map[string][]string{
		"TimeoutBelowP99": {"beyond_seconds", "slow_seconds"},
		// Not fast_seconds: its timeout lies far above the first bucket.
		"VerdictUnknown": {
			"absent_seconds", "ambiguous", "beyond_seconds", "coarse_seconds", "falling", "flat_seconds",
			"idle_seconds", "nan_seconds", "several", "thin_seconds", "unanswered",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func saysWhy(t *testing.T, s server) {
	got := map[string]string{}
	for _, r := range s.query(t, recording.Unknown+" == 1") {
		got[r.Metric["dependency"]] = r.Metric["reason"]
	}
	want := map[string]string{
		"beyond_seconds": "top-bucket", "idle_seconds": "no-data", "absent_seconds": "no-data", "nan_seconds": "no-data",
		"fast_seconds": "first-bucket", "coarse_seconds": "first-bucket", "thin_seconds": "thin-data", "flat_seconds": "point-mass", "hedged": "hedged", "unanswered": "no-error-ratio",
		"several": "quantiles-only", "ambiguous": "no-data", "falling": "point-mass",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
