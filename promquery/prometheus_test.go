package promquery_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

var (
	goBounds = []string{"0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10"}
	usual    = lognormal(0.18, 0.8)
)

// The hostile labels, as PromQL has them and as an exposition writes them.
const hostileValue = "pay\"ments\\{}\n} or vector(1) # é🙂"

func escaped(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value)
}

// past is what the real Prometheus of these tests knows.
func past() *backfill {
	b := &backfill{}
	replica := func(name, labelText string, bounds []string, e every) {
		b.histogram(histogram{name: name, labels: labelText, bounds: bounds, calls: 5000, mean: 0.25, cdf: usual}, e)
	}
	for i := range 3 {
		replica("steady_seconds", `job="steady",instance="`+strconv.Itoa(i)+`"`, goBounds, quarterly)
	}
	b.histogram(histogram{
		name: "steady_milliseconds", labels: `job="steady"`, bounds: []string{"50", "100", "250", "700", "1000"}, calls: 5000, mean: 250,
		cdf: func(ms float64) float64 { return usual(ms / 1000) },
	}, quarterly)
	b.histogram(histogram{name: "restarted_seconds", bounds: goBounds, calls: 5000, mean: 0.25, cdf: usual, resetAt: 850}, quarterly)
	replica("slow_scrape_seconds", `job="slow"`, goBounds, every{step: 5 * time.Minute, from: 4 * time.Hour})
	replica("ended_seconds", `job="ended"`, goBounds, every{step: 15 * time.Second, from: 4 * time.Hour, to: 20 * time.Minute})
	replica("long_gone_seconds", `job="gone"`, goBounds, every{step: 15 * time.Second, from: 4 * time.Hour, to: 3 * time.Hour})
	replica("mostly_gone_seconds", `job="gone"`, goBounds, every{step: 15 * time.Second, from: 4 * time.Hour, to: 50 * time.Minute})
	replica("deployed_seconds", `pod="old"`, goBounds, every{step: 15 * time.Second, from: 4 * time.Hour, to: 2 * time.Minute})
	replica("deployed_seconds", `pod="new"`, goBounds, every{step: 15 * time.Second, from: 3 * time.Minute})
	replica("mixed_seconds", `pod="old"`, goBounds, quarterly)
	replica("mixed_seconds", `pod="new"`, []string{"0.1", "0.3", "1"}, quarterly)
	replica("spelled_seconds", `pod="old"`, []string{"0.1", "1", "5"}, quarterly)
	replica("spelled_seconds", `pod="new"`, []string{"0.1", "1.0", "5.0"}, quarterly)
	replica("hostile_seconds", `server="`+escaped(hostileValue)+`"`, goBounds, quarterly)
	replica("zoned_seconds", `job="a",zone="1"`, goBounds, quarterly)
	replica("zoned_seconds", `job="b",zone="2"`, goBounds, quarterly)
	replica("hostile_seconds", `server="other"`, goBounds, quarterly)
	replica(`"http.client.duration"`, `"server.address"="`+escaped(hostileValue)+`"`, goBounds, quarterly)
	b.histogram(histogram{name: "beyond_seconds", bounds: []string{"0.05", "0.1"}, calls: 5000, mean: 0.25, cdf: usual}, quarterly)
	b.histogram(histogram{name: "idle_seconds", bounds: goBounds, calls: 0, cdf: usual}, quarterly)
	b.add("merged_by_max_seconds_bucket", `le="0.1"`, quarterly, func(i int) float64 { return float64(9 * i) })
	b.add("merged_by_max_seconds_bucket", `le="1"`, quarterly, func(i int) float64 { return float64(5 * i) })
	b.add("merged_by_max_seconds_bucket", `le="+Inf"`, quarterly, func(i int) float64 { return float64(9 * i) })
	b.add("temperature", `room="a"`, quarterly, func(int) float64 { return 20 })
	b.add("summed_seconds", `quantile="0.99"`, quarterly, func(int) float64 { return 1 })
	b.add("summed_seconds_count", "", quarterly, func(i int) float64 { return float64(i) })
	b.add("summed_seconds_sum", "", quarterly, func(i int) float64 { return float64(i) })
	b.add("attempts_total", `job="steady"`, quarterly, func(i int) float64 { return float64(1500 * i) })
	b.add("errors_total", `job="steady",code="500"`, quarterly, func(i int) float64 { return float64(6 * i) })
	b.add("errors_total", `job="steady",code="503"`, quarterly, func(i int) float64 { return float64(3 * i) })
	return b
}

// selecting narrows a dependency.
func selecting(dep config.Dependency, matchers ...*labels.Matcher) config.Dependency {
	dep.Latency.Matchers = matchers
	return dep
}

func matcher(name, value string) *labels.Matcher {
	return labels.MustNewMatcher(labels.MatchEqual, name, value)
}

// near compares figures that pass through Prometheus's own arithmetic.
var near = cmpopts.EquateApprox(1e-9, 1e-12)

func TestRealPrometheusOnBackfilledData(t *testing.T) {
	server := past().start(t)
	c := client(t, server.URL, nil)
	ask := func(t *testing.T, dep config.Dependency) promquery.Result {
		t.Helper()
		return c.Observe(t.Context(), []config.Dependency{dep}, evening)[0]
	}
	must := func(t *testing.T, dep config.Dependency) latency.Observation {
		t.Helper()
		r := ask(t, dep)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		return r.Observation
	}
	t.Run("known distribution", func(t *testing.T) { knownDistribution(t, must(t, dependency("steady_seconds"))) })
	t.Run("milliseconds", func(t *testing.T) {
		dep := dependency("steady_milliseconds")
		dep.Latency.UnitScale = 0.001
		o := must(t, dep)
		if got := merged(t, o.Now).Bins[3].Upper; got != 0.7 {
			t.Errorf("700 ms became %v s", got)
		}
		diff(t, "mean", 0.25, meanOf(t, o.Now), near)
		quantilesAgree(t, server.URL, o, 0.001)
	})
	t.Run("quantiles are the server's own", func(t *testing.T) {
		for _, name := range []string{"steady_seconds", "restarted_seconds", "slow_scrape_seconds", "deployed_seconds", "spelled_seconds", "idle_seconds", "beyond_seconds"} {
			quantilesAgree(t, server.URL, must(t, dependency(name)), 1)
		}
	})
	t.Run("counter reset", func(t *testing.T) {
		o, steady := must(t, dependency("restarted_seconds")), must(t, dependency("steady_seconds"))
		got, want := totalOf(t, o.Now), totalOf(t, steady.Now)/3
		// The reset loses what the interval before it adds, stretched a little.
		if lost := (want - got) / 5000; lost < 0.9 || lost > 1.2 {
			t.Errorf("%v calls over a reset, want what one sample adds below %v", got, want)
		}
	})
	t.Run("slow scrapes", func(t *testing.T) {
		o := must(t, dependency("slow_scrape_seconds"))
		if len(o.Now.Parts) != 3 || o.Now.Scrapes != 4 {
			t.Errorf("%d parts of %v samples, want 3 of 4", len(o.Now.Parts), o.Now.Scrapes)
		}
	})
	t.Run("no calls", func(t *testing.T) {
		o := must(t, dependency("idle_seconds"))
		if got := totalOf(t, o.Now); got != 0 || o.P99 != nil || len(o.Now.Parts) != 12 {
			t.Errorf("%v calls in %d parts, p99 %v; want none in 12, and no p99", got, len(o.Now.Parts), o.P99)
		}
	})
	t.Run("two spellings of a bound", func(t *testing.T) {
		o := must(t, dependency("spelled_seconds"))
		if got := len(o.Now.Whole.Bins); got != 4 {
			t.Errorf("%d bins, want 4: %+v", got, o.Now.Whole.Bins)
		}
		diff(t, "calls", 2*240*5000.0, totalOf(t, o.Now), near)
	})
	t.Run("deployed in the window", func(t *testing.T) {
		o := must(t, dependency("deployed_seconds"))
		if len(o.Now.Parts) != 12 || o.Now.Scrapes < 19 {
			t.Errorf("%d parts of %v samples: a new pod makes old data look thin", len(o.Now.Parts), o.Now.Scrapes)
		}
		if len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "1 of 2 series began inside the window") {
			t.Errorf("notes %q, want one about the new pod", o.Notes)
		}
	})
	t.Run("configured expressions", func(t *testing.T) { configuredExpressions(t, must) })
	t.Run("hostile labels", func(t *testing.T) {
		one := must(t, selecting(dependency("hostile_seconds"), matcher("server", hostileValue)))
		both := must(t, dependency("hostile_seconds"))
		diff(t, "calls", totalOf(t, both.Now), 2*totalOf(t, one.Now), near)
		dots := must(t, selecting(dependency("http.client.duration"), matcher("server.address", hostileValue)))
		diff(t, "calls of the metric with dots", totalOf(t, one.Now), totalOf(t, dots.Now), near)
	})
	for name, want := range map[string]struct {
		kind   promquery.Kind
		reason latency.Reason
		says   string
	}{
		"no_such_seconds":       {promquery.KindNoData, "", "no series match"},
		"long_gone_seconds":     {promquery.KindNoData, "", "no series match"},
		"mostly_gone_seconds":   {promquery.KindNoData, "", "the series ended"},
		"mixed_seconds":         {promquery.KindUnusable, latency.ReasonMixedBuckets, "different bucket bounds"},
		"merged_by_max_seconds": {promquery.KindUnusable, latency.ReasonNonMonotonic, "merged by max"},
		"temperature":           {promquery.KindUnusable, latency.ReasonNoHistogram, "gauge or a counter"},
		"summed_seconds":        {promquery.KindUnusable, latency.ReasonNoHistogram, "summary"},
	} {
		t.Run(name, func(t *testing.T) {
			r := ask(t, dependency(name))
			wantError(t, r.Err, want.kind, want.says)
			wantReason(t, r.Err, want.reason)
		})
	}
	t.Run("ended a while ago", func(t *testing.T) {
		o := must(t, dependency("ended_seconds"))
		if len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "ended at least 20m0s ago") {
			t.Errorf("notes %q, want the end", o.Notes)
		}
	})
	t.Run("discover", func(t *testing.T) { discoversOnBackfilledData(t, c) })
	t.Run("check", func(t *testing.T) { checkOnBackfilledData(t, c) })
}

// knownDistribution compares the window with what was written: 3 replicas, 20
// samples in each part, 5000 calls in each sample. increase() sees 19 intervals
// of a part and stretches them to 20.
func knownDistribution(t *testing.T, o latency.Observation) {
	t.Helper()
	if len(o.Now.Parts) != 12 || len(o.Before.Parts) != 12 || o.Now.Scrapes != 20 {
		t.Fatalf("%d and %d parts of %v samples, want 12, 12, 20", len(o.Now.Parts), len(o.Before.Parts), o.Now.Scrapes)
	}
	for _, h := range o.Now.Parts {
		diff(t, "calls in a part", 3*20*5000.0, h.Total(), near)
		if len(h.Bins) != 3 || h.Bins[0].Upper != 0.25 || h.Bins[1].Upper != 0.5 {
			t.Errorf("a part has the bins %+v, want those around the timeout of 0.5 s", h.Bins)
		}
	}
	merged := merged(t, o.Now)
	for i, b := range merged.Bins[:len(merged.Bins)-1] {
		if want, _ := strconv.ParseFloat(goBounds[i], 64); b.Upper != want {
			t.Errorf("bound %d is %v, want %v", i, b.Upper, want)
		}
	}
	diff(t, "calls in the window", 3*240*5000.0, merged.Total(), near)
	for _, bound := range []float64{0.05, 0.25, 1, 2.5} {
		// Counters hold whole numbers: each part is off by two calls per replica at most.
		if got, want := merged.FractionAbove(bound), 1-usual(bound); math.Abs(got-want) > 2.0/(20*5000) {
			t.Errorf("share above %v s is %v, want %v", bound, got, want)
		}
	}
	diff(t, "mean", 0.25, meanOf(t, o.Now), near)
	if len(o.Notes) != 0 {
		t.Errorf("notes %q on healthy data", o.Notes)
	}
}

func configuredExpressions(t *testing.T, must func(*testing.T, config.Dependency) latency.Observation) {
	dep := dependency("steady_seconds")
	dep.ErrorRatio.Query = `sum(rate(errors_total{job="steady"}[$window])) / sum(rate(attempts_total{job="steady"}[$window]))`
	dep.Observed.Attempts = `sum(rate(attempts_total[$window]))`
	dep.Observed.Timeouts = `sum(rate(timeouts_total[$window]))`
	dep.Observed.Calls = `42`
	o := must(t, dep)
	diff(t, "error ratio", 9/1500.0, *o.ErrorRatio, near)
	diff(t, "attempts over the window", 1500*240.0, *o.Observed.Attempts, near)
	diff(t, "calls over the window", 42*3600.0, *o.Observed.Calls, near)
	if o.Observed.Timeouts != nil || len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "observed.timeouts: no series match") {
		t.Errorf("timeouts %v, notes %q; want none, and a note", o.Observed.Timeouts, o.Notes)
	}
}

// quantilesAgree asks the server for the quantiles that an observation says a
// dashboard shows, and compares. unit is that of the histogram in seconds.
func quantilesAgree(t *testing.T, url string, o latency.Observation, unit float64) {
	t.Helper()
	i := slices.IndexFunc(o.Queries, func(q latency.Query) bool { return q.Purpose == "quantiles" })
	if i < 0 {
		t.Fatalf("no query for quantiles among %v", o.Queries)
	}
	served := map[string]float64{}
	for _, sample := range instant(t, url, o.Queries[i].Text(), o.At) {
		served[string(sample.Metric["quantile"])] = float64(sample.Value) * unit
	}
	counts := merged(t, o.Now)
	for q, own := range map[float64]*float64{0.5: o.P50, 0.99: o.P99} {
		name := strconv.FormatFloat(q, 'g', -1, 64)
		theirs, answered := served[name]
		if read, _ := counts.Quantile(q); own != nil && len(o.Now.Parts) == 1 && !(math.Abs(read/theirs-1) <= 1e-9) {
			t.Errorf("quantile %s of the counts is %v, the server says %v", name, read, theirs)
		}
		switch {
		case !answered:
			t.Errorf("the server has no quantile %s", name)
		case own == nil && !math.IsNaN(theirs), own != nil && !(math.Abs(*own/theirs-1) <= 1e-9):
			t.Errorf("quantile %s is %v, the server says %v to %s", name, value(own), theirs, o.Queries[i].Text())
		}
	}
}

func value(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// instant asks a server for a vector, past all of our own code.
func instant(t *testing.T, url, promQL string, at time.Time) model.Vector {
	t.Helper()
	c, err := api.NewClient(api.Config{Address: url})
	if err != nil {
		t.Fatal(err)
	}
	answer, _, _, err := v1.NewAPI(c).Query(t.Context(), promQL, at)
	if err != nil {
		t.Fatal(err)
	}
	return answer.(model.Vector)
}

func merged(t *testing.T, w latency.Window) latency.Histogram {
	t.Helper()
	all, err := w.Merged()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func totalOf(t *testing.T, w latency.Window) float64 {
	t.Helper()
	return merged(t, w).Total()
}

func meanOf(t *testing.T, w latency.Window) float64 {
	t.Helper()
	merged, err := w.Merged()
	if err != nil {
		t.Fatal(err)
	}
	mean, ok := merged.Mean()
	if !ok {
		t.Fatal("no mean")
	}
	return mean
}

func checkOnBackfilledData(t *testing.T, c *promquery.Client) {
	withQueries := dependency("steady_seconds")
	withQueries.ErrorRatio.Query = `sum(rate(errors_total{job="stedy"}[$window])) / sum(rate(attempts_total[$window]))`
	withQueries.Observed.Timeouts = `sum(rate(timeouts_total[$window]))`
	withQueries.Observed.Calls = `rate(errors_total[$window])`
	withQueries.Observed.Retries = `attempts_total and errors_total`
	type checked struct {
		dep  config.Dependency
		want []string // "key: text in the message"
	}
	for name, tc := range map[string]checked{
		"fine":          {dependency("steady_seconds"), nil},
		"slip":          {dependency("stedy_seconds"), []string{`latency.histogram: no metric stedy_seconds in the last 1d; did you mean steady_seconds?`}},
		"no metric":     {dependency("qqqqqqqqqqqqqqqq"), []string{`latency.histogram: no metric qqqqqqqqqqqqqqqq in the last 1d`}},
		"one matcher":   {selecting(dependency("steady_seconds"), matcher("job", "steady"), matcher("instance", "7")), []string{`latency.selector: no series match because of instance="7" (without it 3 match; instance is "0", "1", "2")`}},
		"two matchers":  {selecting(dependency("steady_seconds"), matcher("job", "x"), matcher("instance", "7")), []string{`latency.selector: no series match job="x"; job is "steady" and none instance="7"; instance is "0", "1", "2"`}},
		"pair":          {selecting(dependency("zoned_seconds"), matcher("job", "a"), matcher("zone", "2")), []string{`latency.selector: no series match all of these at once: job="a" (without it 1 match; job is "b"), zone="2" (without it 1 match; zone is "1")`}},
		"gauge":         {dependency("temperature"), []string{`latency.histogram: not a histogram: temperature is a gauge or a counter`}},
		"summary":       {dependency("summed_seconds"), []string{`latency.histogram: not a histogram: summed_seconds is a summary`}},
		"ended":         {dependency("ended_seconds"), []string{`latency.histogram: no samples of ended_seconds_bucket{le="+Inf"} in the last 15m; the last one was at 2024-05-01T17:40:00Z, 20m0s ago`}},
		"gone":          {dependency("long_gone_seconds"), []string{`latency.selector: no samples of long_gone_seconds_bucket{le="+Inf"} in the last 1h; the last one was at 2024-05-01T15:00:00Z, 3h0m0s ago`}},
		"mixed buckets": {dependency("mixed_seconds"), []string{`latency.histogram: series with different bucket bounds`}},
		"expressions": {withQueries, []string{
			`error_ratio: no series match because of job="stedy" (without it 2 match; job is "steady")`,
			`observed.timeouts: no metric timeouts_total in the last 1d`,
			`observed.retries: each selector matches series, and together they leave nothing`,
			`observed.calls: it answers with 2 series and must answer with one`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.Check(t.Context(), []config.Dependency{tc.dep}, evening)[0]
			var got []string
			for i, p := range r.Problems {
				text := p.Key + ": " + p.Message
				if i < len(tc.want) && strings.HasPrefix(text, tc.want[i]) {
					text = tc.want[i]
				}
				got = append(got, text)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("problems (-want +got):\n%s", d)
			}
		})
	}
}
