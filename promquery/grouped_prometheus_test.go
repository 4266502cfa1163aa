package promquery_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// nastyValues are label values that a regular expression, a quoted string or a
// careless split would read as something else. None is the missing label.
func nastyValues() []string {
	return []string{
		"", "plain", "plain2", "a.b", "aXb", "a|b", "a", "b", ".*", ".+", "^a$", "a$", "(a)", "[ab]", "a{2}", "aa", "a+", "a?",
		`back\slash`, `\d`, `"`, `'`, "`", "new\nline", "tab\t", "é", "e\u0301", "世界", "🙂", " ", "a ", "\u00ff", "a,b", `a="b"`, "$1", "?i:A", "A", "$window",
	}
}

// crowd is many small histograms that differ in the values of two labels.
func crowd() *backfill {
	b := &backfill{}
	recent := every{step: 15 * time.Second, from: 2*time.Hour + time.Minute}
	for i, value := range nastyValues() {
		for replica := range 1 + i%2 {
			text := `job="mesh",instance="` + strconv.Itoa(replica) + `"`
			if value != "" {
				text += `,peer="` + escaped(value) + `"`
			}
			if i%3 > 0 {
				text += `,zone="z` + strconv.Itoa(i%3) + `"`
			}
			b.histogram(histogram{
				name: "crowd_seconds", labels: text, bounds: []string{"0.1", "0.5", "1", "2.5"}, calls: float64(100 * (i + 1)), mean: 0.25, cdf: lognormal(0.1+0.02*float64(i), 0.8),
			}, recent)
			b.add("crowd_attempts_total", text, recent, func(j int) float64 { return float64(j * 100 * (i + 1)) })
			if i != 5 {
				b.add("crowd_timeouts_total", text, recent, func(j int) float64 { return float64(j * i) })
			}
			b.add("crowd_summary", text+`,quantile="0.5"`, recent, func(int) float64 { return 0.1 + float64(i) })
			b.add("crowd_summary", text+`,quantile="0.99"`, recent, func(int) float64 { return 1.1 + float64(i+replica) })
		}
	}
	return b
}

// crowdDependencies select one member of the crowd each, in several ways, and
// some that nothing answers to.
func crowdDependencies() []config.Dependency {
	var deps []config.Dependency
	add := func(histogram, kind, replica string, matchers ...*labels.Matcher) *config.Dependency {
		dep := selecting(dependency(histogram), matchers...)
		dep.Name = fmt.Sprintf("%d", len(deps))
		dep.Latency.Kind, dep.Latency.ReplicaLabel = kind, replica
		deps = append(deps, dep)
		return &deps[len(deps)-1]
	}
	for i, value := range nastyValues() {
		peer, zone := matcher("peer", value), matcher("zone", "z"+strconv.Itoa(i%3))
		if i%3 == 0 {
			zone = matcher("zone", "")
		}
		add("crowd_seconds", "auto", "", peer)
		add("crowd_seconds", "classic", "instance", zone, peer, labels.MustNewMatcher(labels.MatchNotEqual, "job", "x"))
		add("crowd_seconds", "auto", "", peer, matcher("zone", "elsewhere"))
		if i < 3 {
			add("crowd_seconds", "auto", "peer", peer) // what tells replicas apart cannot group them
		}
		add("crowd_summary", "summary", "", peer)
		dep := add("crowd_seconds", "auto", "", peer, matcher("job", "mesh"))
		own := `{` + peer.String() + `, job="mesh"}[$window]`
		dep.Observed.Attempts = `sum(rate(crowd_attempts_total` + own + `))`
		dep.Observed.Timeouts = `sum(rate(crowd_timeouts_total` + own + `))`
		dep.ErrorRatio.Query = `sum(rate(crowd_timeouts_total` + own + `)) / sum(rate(crowd_attempts_total` + own + `))`
		if i < 3 {
			dep.ErrorRatio.Query += ` or vector(0)` // which answers for no label
		}
		dep.Observed.Calls = `sum by (job) (rate(crowd_attempts_total` + own + `)) - sum by (job) (rate(crowd_timeouts_total` + own + `))`
		dep.Observed.Retries = `rate(crowd_timeouts_total` + own + `)` // several series, where there are several replicas
	}
	add("crowd_seconds", "native", "", matcher("peer", "a"))
	add("crowd_seconds", "auto", "", matcher("peer", "nobody"))
	add("crowd_seconds", "auto", "", matcher("peer", "a"), matcher("peer", "b"))
	add("crowd_seconds", "auto", "")
	return deps
}

// What is learned of a dependency is the same whether it is asked about alone
// or with hundreds of others.
func TestRealPrometheusAnswersTogetherAsOneByOne(t *testing.T) {
	var queries atomic.Int64
	c := client(t, crowd().start(t).URL, func(o *promquery.Options) {
		o.OnQuery = func(promquery.Outcome, time.Duration) { queries.Add(1) }
	})
	deps := crowdDependencies()
	together := c.Observe(t.Context(), deps, evening)
	grouped := queries.Swap(0)
	exact := cmp.Options{cmpopts.EquateApprox(1e-12, 0), cmp.Transformer("told", told), cmp.Transformer("asked", asked)}
	answered := 0
	for i, dep := range deps {
		alone := c.Observe(t.Context(), []config.Dependency{dep}, evening)[0]
		if d := cmp.Diff(alone, together[i], exact); d != "" {
			t.Errorf("%s %v (-alone +together):\n%s", dep.Latency.Histogram, dep.Latency.Matchers, d)
		}
		if alone.Err == nil {
			answered++
		}
	}
	if least := 3 * len(nastyValues()); answered < least {
		t.Errorf("%d dependencies have an answer, want %d at least", answered, least)
	}
	oneByOne := queries.Load()
	t.Logf("%d queries for %d dependencies, %d one by one", grouped, len(deps), oneByOne)
	if grouped*8 > oneByOne {
		t.Errorf("%d queries together, %d one by one: that is no grouping", grouped, oneByOne)
	}
}

// told is all that an error says.
func told(err error) string {
	var e *promquery.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return fmt.Sprint(e.Kind, e.Reason, e.Message, e.Query)
}

// asked is all that a query says.
func asked(q latency.Query) string { return fmt.Sprint(q.Purpose, q.Text(), q.Start, q.End, q.Step) }
