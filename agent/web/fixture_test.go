package web_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// The worked example of the calculators: p50 180 ms, p99 1.4 s.
const (
	workedP50, workedP99 = 0.18, 1.4
	workedCalls          = 400000.0 // a day
)

// worked is a dependency whose buckets hold exactly the lognormal of the worked
// example, with a bound at 2 s. Its own policy cuts at 1 s and does not retry.
func worked(t *testing.T) audit.Input {
	t.Helper()
	l, err := latency.FitQuantiles(latency.QuantilePoint{P: 0.5, Seconds: workedP50}, latency.QuantilePoint{P: 0.99, Seconds: workedP99})
	if err != nil {
		t.Fatal(err)
	}
	bounds := []float64{0.02, 0.05, 0.1, 0.18, 0.3, 0.5, 1, 1.4, 2, 3, 5, 10}
	const parts = 12
	window := latency.Window{Scrapes: math.Inf(1)}
	for range parts {
		var counts []float64
		for _, bound := range bounds {
			counts = append(counts, workedCalls/24/parts*(1-l.Survival(bound)))
		}
		h, err := latency.FromCumulative(bounds, append(counts, workedCalls/24/parts))
		if err != nil {
			t.Fatal(err)
		}
		window.Parts = append(window.Parts, h)
	}
	p50, p99 := workedP50, workedP99
	dep := reporttest.Dependency("worked")
	dep.Policy = config.Policy{Timeout: time.Second, RetryOnTimeout: true, Backoff: config.Backoff{Multiplier: 2, Jitter: "none"}, Fallback: "default"}
	dep.ErrorRatio.Value = 0.004
	return audit.Input{Dependency: &dep, At: reporttest.Start, Observation: latency.Observation{
		At: reporttest.Start, Window: time.Hour, Now: window, Before: window, P50: &p50, P99: &p99,
		Replicas: []latency.Replica{
			{Name: "10.0.0.1:80", Histogram: window.Parts[0], Scrapes: 240},
			{Name: "<b>10.0.0.2</b>", Histogram: slow(t), Scrapes: 240},
		},
		Observed: latency.Counters{Calls: new(workedCalls / 24), Fallbacks: new(2500.0)},
		Queries: []latency.Query{
			{Purpose: "buckets", PromQL: latency.Words(`sum by (le) (increase(latency_seconds_bucket{job="checkout"}[5m]))`), Start: reporttest.Start.Add(-2 * time.Hour), End: reporttest.Start, Step: 5 * time.Minute},
			{Purpose: "quantiles", PromQL: latency.Words(`histogram_quantile(0.99, sum by (le) (rate(latency_seconds_bucket[1h])))`)},
		},
	}}
}

// slow is a replica that takes more than 1 s in half of its calls.
func slow(t *testing.T) latency.Histogram {
	t.Helper()
	h, err := latency.FromCumulative([]float64{0.1, 1, 2}, []float64{0, 500, 1000, 1000})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// wickedNames are names that pages have to show, link to and find again.
func wickedNames() []string {
	return []string{
		reporttest.Hostile,
		`"><img src=x onerror=alert(1)>`,
		`quotes " and ' and &amp;`,
		"a/b//c/../d",
		"?q=1#x%2F%zz",
		".", "..", "...",
		"مرحبا بالعالم",
		"back\\slash and space ",
		strings.Repeat("abcdefghij", 50),
		"{{.}} $& ${x}",
	}
}

// rich is a report with a dependency of every status, the worked example,
// wicked names and chains.
func rich(t *testing.T) *report.Report {
	t.Helper()
	first := reporttest.Cycle(nil, reporttest.Start,
		reporttest.Seen(reporttest.Dependency("gone"), reporttest.Start, 36000, 3600),
		reporttest.Seen(reporttest.Dependency("unanswered"), reporttest.Start, 36000, 3600))
	at := reporttest.Start.Add(time.Minute)
	dropped := reporttest.Dependency("dropped")
	dropped.Latency.Timeouts = "dropped"
	auto := reporttest.Dependency("auto")
	auto.Latency.Timeouts, auto.Policy.Timeout, auto.Policy.HedgeAfter = "auto", 500*time.Millisecond, 100*time.Millisecond
	auto.Policy.RetryBudget, auto.Policy.Idempotent = new(0.2), nil
	auto.Policy.Layers = []config.Layer{{Name: "mesh", Attempts: 2, Timeout: 400 * time.Millisecond}}
	calls := reporttest.Dependency("calls")
	calls.Latency.Scope = "call"
	unlimited := reporttest.Dependency("unlimited")
	unlimited.Policy = config.Policy{Fallback: "cache", Backoff: config.Backoff{Multiplier: 2, Jitter: "none"}}
	inputs := []audit.Input{
		worked(t),
		reporttest.Seen(reporttest.Dependency("comfortable"), at, 36000, 0), reporttest.Seen(reporttest.Dependency("below-p99"), at, 36000, 3600),
		reporttest.Seen(reporttest.Dependency("undecided"), at, 12000, 130), reporttest.Seen(reporttest.Dependency("thin"), at, 100, 0),
		reporttest.Unseen(reporttest.Dependency("gone"), at, latency.StatusNoData, "the selector matches no series"),
		reporttest.Unseen(reporttest.Dependency("unanswered"), at, latency.StatusQueryFailed, "cannot reach http://prometheus:9090: connection refused"),
		reporttest.Unseen(reporttest.Dependency("never"), at, latency.StatusNoData, "the selector matches no series"),
		reporttest.Seen(dropped, at, 36000, 3600), reporttest.Seen(auto, at, 36000, 3600),
		reporttest.Seen(calls, at, 36000, 3600), reporttest.Seen(unlimited, at, 36000, 3600),
	}
	for _, name := range wickedNames() {
		dep := reporttest.Dependency(name)
		dep.Caller, dep.Callee, dep.Owner = name, name, name
		inputs = append(inputs, reporttest.Seen(dep, at, 36000, 3600))
	}
	return cycleWithChains(first, at, inputs)
}

func cycleWithChains(previous *report.Report, at time.Time, inputs []audit.Input) *report.Report {
	var assessments []*audit.Assessment
	found := map[string]*audit.Assessment{}
	for _, in := range inputs {
		a := audit.Assess(in)
		assessments, found[in.Dependency.Name] = append(assessments, a), a
	}
	hops := []config.Hop{
		{Dependency: "comfortable", Nested: []config.Hop{{Dependency: "auto", Nested: []config.Hop{{Dependency: reporttest.Hostile}}}}},
		{Parallel: []config.Hop{{Dependency: "worked"}, {Dependency: "comfortable"}}},
		{Dependency: strings.Repeat("abcdefghij", 50)}, {Dependency: "never"}, {Dependency: "comfortable"},
	}
	chains := []audit.ChainAssessment{
		audit.AssessChain(config.Chain{Name: "product-page", Caller: "edge", Owner: "team-web", Deadline: 2 * time.Second, Overhead: 5 * time.Millisecond, Edge: 40 * time.Millisecond, Hops: hops}, found, at),
		audit.AssessChain(config.Chain{Name: reporttest.Hostile, Deadline: time.Minute, Hops: []config.Hop{{Dependency: "comfortable"}}}, found, at),
	}
	findings, memory := rules.Judge(rules.Subjects{Dependencies: assessments, Chains: chains}, previous.Memory, rules.Options{Now: at, HoldFor: reporttest.HoldFor})
	return report.Build(report.Cycle{
		At: at, Duration: 120 * time.Millisecond, StaleAfter: reporttest.StaleAfter,
		Assessments: assessments, Chains: chains, Findings: findings, Memory: memory,
	}, previous)
}
