package engines_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// question is one dependency and what every engine must say about it.
type question struct {
	name string
	dep  config.Dependency
	want answer
}

// answer is what an observation comes to. Zero is not looked at.
type answer struct {
	kind      promquery.Kind // of the error
	onNative  bool           // of the error of an engine without native histograms: it refuses the query
	calls     float64        // in the window
	noCalls   bool
	p50, p99  float64
	parts     int
	topBucket float64 // the highest finite bound, where p99 is beyond it
	replicas  int
	errors    float64 // error ratio
	noErrors  bool    // none is known
	attempts  float64 // counted over the window
	quantiles int
}

func dependency(histogram string, matchers ...*labels.Matcher) config.Dependency {
	return config.Dependency{
		Name: histogram, Window: time.Hour,
		Latency: config.Latency{Histogram: histogram, Kind: "auto", UnitScale: 1, Scope: "attempt", Timeouts: "auto", Matchers: matchers},
		Policy:  config.Policy{Timeout: 2 * time.Second, Fallback: "error"},
	}
}

func equal(name, value string) *labels.Matcher {
	return labels.MustNewMatcher(labels.MatchEqual, name, value)
}

func with(dep config.Dependency, change func(*config.Dependency)) config.Dependency {
	change(&dep)
	return dep
}

const perHour = float64(time.Hour / scrape)

// questions are the table that all engines are held against.
func questions() []question {
	// What histogram_quantile makes of the buckets of the usual distribution.
	const p50, p99 = 0.19417, 1.5835
	return []question{
		{"a histogram of three pods", dependency("steady_seconds"), answer{calls: 3 * 5000 * perHour, p50: p50, p99: p99, parts: 12}},
		{"classic is asked for", with(dependency("steady_seconds"), func(d *config.Dependency) { d.Latency.Kind = "classic" }),
			answer{calls: 3 * 5000 * perHour, p50: p50, p99: p99, parts: 12}},
		{"a selector", dependency("steady_seconds", equal("pod", "a")), answer{calls: 5000 * perHour, p50: p50, p99: p99}},
		{"milliseconds", with(dependency("steady_milliseconds"), func(d *config.Dependency) { d.Latency.UnitScale = 0.001 }),
			answer{calls: 5000 * perHour, p50: p50, p99: 2.5073}},
		{"a restart in the window", dependency("restarted_seconds"), answer{calls: 5000 * perHour, p50: p50, p99: p99}},
		{"labels that need escapes", dependency("hostile_seconds", equal("server", hostile)), answer{calls: 5000 * perHour, p50: p50, p99: p99}},
		{"a regular expression", dependency("hostile_seconds", labels.MustNewMatcher(labels.MatchRegexp, "server", "oth.*|x")), answer{calls: 9000 * perHour}},
		{"a deployment in the window", dependency("deployed_seconds"), answer{calls: 5000 * perHour, p50: p50, p99: p99}},
		{"no calls", dependency("idle_seconds"), answer{noCalls: true, parts: 12}},
		{"p99 beyond the last bound", dependency("beyond_seconds"), answer{calls: 5000 * perHour, topBucket: 0.5}},
		{"replicas", with(dependency("steady_seconds"), func(d *config.Dependency) { d.Latency.ReplicaLabel = "pod" }),
			answer{calls: 3 * 5000 * perHour, replicas: 3}},
		{"a summary", with(dependency("summary_seconds"), func(d *config.Dependency) { d.Latency.Kind = "summary" }), answer{quantiles: 2}},
		{"quantiles by PromQL", with(dependency(""), func(d *config.Dependency) {
			d.Latency.Quantiles = []config.Quantile{
				{P: 0.5, Query: `max(summary_seconds{quantile="0.5"})`},
				{P: 0.9, Query: `histogram_quantile(0.9, sum by (le) (rate(steady_seconds_bucket[$window])))`},
				{P: 0.99, Query: `scalar(max(summary_seconds{quantile="0.99"}))`},
			}
		}), answer{quantiles: 3}},
		{"counters", with(dependency("steady_seconds"), func(d *config.Dependency) {
			d.ErrorRatio.Query = "sum(rate(errors_total[$window])) / sum(rate(attempts_total[$window]))"
			d.Observed.Attempts = "sum(rate(attempts_total[$window]))"
		}), answer{errors: 0.003, attempts: 1000 * perHour}},
		{"a name that nothing has", dependency("absent_seconds"), answer{kind: promquery.KindNoData}},
		{"a selector that nothing has", dependency("steady_seconds", equal("job", "other")), answer{kind: promquery.KindNoData}},
		{"series that ended before the window", dependency("gone_seconds"), answer{kind: promquery.KindNoData}},
		{"a gauge", dependency("temperature"), answer{kind: promquery.KindUnusable}},
		{"native is asked for", with(dependency("steady_seconds"), func(d *config.Dependency) { d.Latency.Kind = "native" }), answer{kind: promquery.KindUnusable, onNative: true}},
		{"a summary taken for a histogram", dependency("summary_seconds"), answer{kind: promquery.KindUnusable}},
		{"a query without an answer", with(dependency("steady_seconds"), func(d *config.Dependency) { d.ErrorRatio.Query = "sum(rate(nothing_total[$window]))" }),
			answer{calls: 3 * 5000 * perHour, noErrors: true}},
		{"a query with several answers", with(dependency("steady_seconds"), func(d *config.Dependency) { d.ErrorRatio.Query = "sum by (pod) (rate(steady_seconds_count[$window]))" }),
			answer{kind: promquery.KindUnusable}},
		{"a query that the engine refuses", with(dependency("steady_seconds"), func(d *config.Dependency) {
			d.ErrorRatio.Query = "label_replace(vector(0.1), \"a\", \"b\", \"c\", \"(\")"
		}), answer{kind: promquery.KindBadQuery}},
	}
}

// counts is how far counts may be from what was counted, as a share: an
// increase() that extrapolates gets a little more or less.
const counts = 0.005

func TestEveryEngineAnswersTheSame(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			c := client(t, e.start(t, past()))
			var deps []config.Dependency
			for _, q := range questions() {
				deps = append(deps, q.dep)
			}
			together := c.Observe(t.Context(), deps, evening)
			for i, q := range questions() {
				if q.want.onNative && !e.native {
					q.want.kind = promquery.KindBadQuery
				}
				t.Run(q.name, func(t *testing.T) { q.want.check(t, together[i]) })
			}
		})
	}
}

func (want answer) check(t *testing.T, r promquery.Result) {
	t.Helper()
	if want.kind != "" {
		var e *promquery.Error
		if !errors.As(r.Err, &e) || e.Kind != want.kind {
			t.Errorf("error %v (%+v), want one of kind %s", r.Err, e, want.kind)
		}
		return
	}
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	o := r.Observation
	near := func(what string, got, want, share float64) {
		if want != 0 && !(math.Abs(got/want-1) <= share) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("calls", total(t, o.Now), want.calls, counts)
	near("calls of the window before", total(t, o.Before), want.calls, counts)
	if want.noCalls && (total(t, o.Now) != 0 || o.P99 != nil) {
		t.Errorf("%v calls, p99 %v, want none", total(t, o.Now), o.P99)
	}
	near("p50", valueOf(o.P50), want.p50, 0.002)
	near("p99", valueOf(o.P99), want.p99, 0.002)
	near("p99 beyond the last bound", valueOf(o.P99), want.topBucket, 1e-12)
	near("error ratio", valueOf(o.ErrorRatio), want.errors, counts)
	near("attempts", valueOf(o.Observed.Attempts), want.attempts, counts)
	if want.noErrors && o.ErrorRatio != nil {
		t.Errorf("error ratio %v, want none", *o.ErrorRatio)
	}
	if want.parts != 0 && len(o.Now.Parts) != want.parts {
		t.Errorf("%d parts, want %d", len(o.Now.Parts), want.parts)
	}
	if want.replicas != 0 && len(o.Replicas) != want.replicas {
		t.Errorf("replicas %+v, want %d", o.Replicas, want.replicas)
	}
	if want.quantiles != 0 && (len(o.Quantiles) != want.quantiles || o.Quantiles[0].Seconds != 0.18 || o.Quantiles[want.quantiles-1].Seconds != 1.4) {
		t.Errorf("quantiles %+v", o.Quantiles)
	}
}

func total(t *testing.T, w latency.Window) float64 {
	t.Helper()
	sum := 0.0
	for _, part := range w.Parts {
		sum += part.Total()
	}
	return sum
}

func valueOf(p *float64) float64 {
	if p == nil {
		return math.NaN()
	}
	return *p
}
