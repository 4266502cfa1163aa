package reporttest

import (
	"math"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// Start is the moment of the first report.
var Start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// StaleAfter and HoldFor are those of every report made here.
const (
	StaleAfter = 5 * time.Minute
	HoldFor    = time.Hour
)

// Dependency returns a dependency with a timeout of 250 ms and two retries.
func Dependency(name string) config.Dependency {
	return config.Dependency{
		Name: name, Caller: "checkout", Callee: "payments", Owner: "team-pay",
		Latency: config.Latency{Histogram: "latency_seconds", Kind: "auto", UnitScale: 1, Scope: "attempt", Timeouts: "uncensored"},
		Policy: config.Policy{Timeout: 250 * time.Millisecond, ConnectTimeout: 100 * time.Millisecond, Deadline: 5 * time.Second, Retries: 2, RetryOnTimeout: true,
			Backoff: config.Backoff{Multiplier: 2, Jitter: "none"}, Fallback: "error", Idempotent: new(true)},
		Window: time.Hour, Correlation: config.Correlation{Value: 0.5},
		TargetFalseTimeoutRatio: 0.001, Headroom: 0.1, MaxStep: 2, ErrorRatio: config.ErrorRatio{Value: 0.0005},
	}
}

// Seen is a dependency of which n calls were observed in the window, and above
// of them took longer than 250 ms.
func Seen(dep config.Dependency, at time.Time, n, above float64) audit.Input {
	window := latency.Window{Scrapes: math.Inf(1)}
	bounds := []float64{0.1, 0.25, 0.5, 1}
	for range 12 {
		h, err := latency.FromCumulative(bounds, []float64{n / 24, (n - above) / 12, (n - above/4) / 12, n / 12, n / 12})
		if err != nil {
			panic(err)
		}
		window.Parts = append(window.Parts, h)
	}
	whole, err := window.Merged()
	if err != nil {
		panic(err)
	}
	p50, _ := whole.Quantile(0.5)
	p99, _ := whole.Quantile(0.99)
	return audit.Input{Dependency: &dep, At: at, Observation: latency.Observation{
		At: at, Window: time.Hour, Now: window, P50: &p50, P99: &p99,
		Queries: []latency.Query{{Purpose: "buckets", PromQL: latency.Words(`sum by (le) (increase(latency_seconds_bucket[5m]))`)}},
		Notes:   []string{"PromQL info: metric might not be a counter"},
	}}
}

// Unseen is a dependency of which nothing was learned.
func Unseen(dep config.Dependency, at time.Time, status latency.Status, message string) audit.Input {
	return audit.Input{Dependency: &dep, At: at, Failure: &audit.Failure{Status: status, Message: message}}
}

// Cycle assesses, judges and reports, as a cycle at the inputs' time does.
func Cycle(previous *report.Report, at time.Time, inputs ...audit.Input) *report.Report {
	var memory rules.Memory
	if previous != nil {
		memory = previous.Memory
	}
	var assessments []*audit.Assessment
	for _, in := range inputs {
		assessments = append(assessments, audit.Assess(in))
	}
	findings, memory := rules.Judge(rules.Subjects{Dependencies: assessments}, memory, rules.Options{Now: at, HoldFor: HoldFor})
	return report.Build(report.Cycle{
		At: at, Duration: 120 * time.Millisecond, StaleAfter: StaleAfter, Detail: true,
		Assessments: assessments, Findings: findings, Memory: memory,
	}, previous)
}

// OverBudget is a cycle with a chain of three calls, the last one nested, that
// does not fit into its deadline of 2 s and whose inner call outlives its
// caller. The second hop has no data.
func OverBudget() *report.Report {
	search, prices, stock := Dependency("search"), Dependency("prices"), Dependency("stock")
	found := map[string]*audit.Assessment{}
	var assessments []*audit.Assessment
	for _, in := range []audit.Input{
		Seen(search, Start, 36000, 3600), Unseen(prices, Start, latency.StatusNoData, "the selector matches no series"), Seen(stock, Start, 36000, 0),
	} {
		a := audit.Assess(in)
		assessments, found[in.Dependency.Name] = append(assessments, a), a
	}
	chain := audit.AssessChain(config.Chain{
		Name: "product-page", Caller: "edge", Owner: "team-web", Deadline: 2 * time.Second, Overhead: 5 * time.Millisecond, Edge: 40 * time.Millisecond,
		Hops: []config.Hop{{Dependency: "search", Nested: []config.Hop{{Dependency: "stock"}}}, {Dependency: "prices"}},
	}, found, Start)
	findings, memory := rules.Judge(rules.Subjects{Dependencies: assessments, Chains: []audit.ChainAssessment{chain}}, rules.Memory{},
		rules.Options{Now: Start, HoldFor: HoldFor})
	return report.Build(report.Cycle{
		At: Start, Duration: 120 * time.Millisecond, StaleAfter: StaleAfter,
		Assessments: assessments, Chains: []audit.ChainAssessment{chain}, Findings: findings, Memory: memory,
	}, nil)
}

// Hostile is a name that breaks pages and terminals which do not quote it.
const Hostile = "<script>alert(\"1\")</script>\x1b[31m\u202e{{.}}"

// EveryStatus is a second cycle, a minute after Start, with a dependency of
// each status: two of them were known and below p99 in the first cycle.
func EveryStatus() *report.Report {
	gone, failed := Dependency("gone"), Dependency("unanswered")
	first := Cycle(nil, Start, Seen(gone, Start, 36000, 3600), Seen(failed, Start, 36000, 3600))
	at := Start.Add(time.Minute)
	return Cycle(first, at,
		Seen(Dependency("comfortable"), at, 36000, 0),
		Seen(Dependency("below-p99"), at, 36000, 3600),
		Seen(Dependency("undecided"), at, 12000, 130),
		Seen(Dependency("thin"), at, 100, 0),
		Unseen(gone, at, latency.StatusNoData, "the selector matches no series"),
		Unseen(failed, at, latency.StatusQueryFailed, "cannot reach http://prometheus:9090: connection refused"),
		Seen(Dependency(Hostile), at, 36000, 0),
	)
}
