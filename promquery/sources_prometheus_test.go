package promquery_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// sources is what the real Prometheus of these tests knows: replicas of which
// one is slow and one new, a summary, recorded quantiles, and counters that
// doubled an hour ago.
func sources() *backfill {
	b := &backfill{}
	replica := func(labelText string, cdf func(float64) float64, e every) {
		b.histogram(histogram{name: "rpc_seconds", labels: labelText, bounds: goBounds, calls: 1000, mean: 0.25, cdf: cdf}, e)
	}
	replica(`job="a",pod="a"`, usual, quarterly)
	replica(`job="a",pod="b",code="200"`, lognormal(0.9, 0.8), quarterly)
	replica(`job="a",pod="b",code="503"`, lognormal(0.9, 0.8), every{step: 15 * time.Second, from: 10 * time.Minute})
	replica(`job="a",pod="new"`, usual, every{step: 15 * time.Second, from: 30 * time.Minute})
	replica(`job="a"`, usual, quarterly)

	constant := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	quantile := func(labelText string, e every, p50, p99 float64) {
		b.add("sum_seconds", labelText+`,quantile="0.5"`, e, constant(p50))
		b.add("sum_seconds", labelText+`,quantile="0.9"`, e, constant((p50+p99)/2))
		b.add("sum_seconds", labelText+`,quantile="0.99"`, e, constant(p99))
		b.add("sum_seconds_count", labelText, e, func(i int) float64 { return float64(i) })
	}
	quantile(`job="a",pod="a"`, quarterly, 0.18, 1.1)
	quantile(`job="a",pod="b"`, quarterly, 0.16, 1.4)
	quantile(`job="a",pod="idle"`, quarterly, math.NaN(), math.NaN())
	quantile(`job="a",pod="gone"`, every{step: 15 * time.Second, from: 4 * time.Hour, to: 30 * time.Minute}, 7, 9)
	quantile(`job="idle",pod="idle"`, quarterly, math.NaN(), math.NaN())
	quantile(`job="gone",pod="gone"`, every{step: 15 * time.Second, from: 4 * time.Hour, to: 30 * time.Minute}, 7, 9)
	b.add("p90_seconds", `quantile="0.9"`, quarterly, constant(1))
	b.add("p90_seconds_count", "", quarterly, constant(1))

	b.add("job:rpc_seconds:p50", `pod="a"`, quarterly, constant(0.2))
	b.add("job:rpc_seconds:p99", `pod="a"`, quarterly, constant(1.5))
	b.add("job:rpc_seconds:p99", `pod="b"`, quarterly, constant(1.6))

	doubled := func(rate float64) func(int) float64 { // per sample; 961 of them, the last 240 in the window
		return func(i int) float64 { return rate * float64(i+max(0, i-720)) }
	}
	b.add("tries_total", "", quarterly, doubled(100))
	b.add("cut_total", "", quarterly, doubled(3))
	return b
}

func TestRealPrometheusOnOtherSources(t *testing.T) {
	c := client(t, sources().start(t).URL, nil)
	must := func(t *testing.T, dep config.Dependency) latency.Observation {
		t.Helper()
		r := c.Observe(t.Context(), []config.Dependency{dep}, evening)[0]
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		return r.Observation
	}
	t.Run("replicas", func(t *testing.T) { comparesReplicas(t, must(t, replicated("rpc_seconds", "pod"))) })
	t.Run("replicas by a label that nothing has", func(t *testing.T) {
		o := must(t, replicated("rpc_seconds", "pod.name"))
		if len(o.Replicas) != 1 || o.Replicas[0].Name != "" || !strings.Contains(strings.Join(o.Notes, "\n"), "no series has the label pod.name") {
			t.Errorf("%d replicas, notes %q", len(o.Replicas), o.Notes)
		}
	})
	t.Run("summary", func(t *testing.T) {
		o := must(t, selecting(summarized("sum_seconds"), matcher("job", "a")))
		diff(t, "quantiles", []latency.QuantilePoint{{P: 0.5, Seconds: 0.18}, {P: 0.99, Seconds: 1.4}}, o.Quantiles)
		if len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "largest of 3 series") {
			t.Errorf("notes %q, want the two that answer and the idle one", o.Notes)
		}
	})
	t.Run("quantiles", func(t *testing.T) {
		dep := dependency("")
		dep.Latency.Quantiles = []config.Quantile{
			{P: 0.5, Query: "job:rpc_seconds:p50"}, {P: 0.99, Query: "max(job:rpc_seconds:p99)"},
			{P: 0.999, Query: "histogram_quantile(0.999, sum by (le) (rate(rpc_seconds_bucket{pod=\"b\"}[$window])))"},
		}
		o := must(t, dep)
		diff(t, "quantiles", []latency.QuantilePoint{{P: 0.5, Seconds: 0.2}, {P: 0.99, Seconds: 1.6}, {P: 0.999, Seconds: o.Quantiles[2].Seconds}}, o.Quantiles)
		if q := o.Quantiles[2].Seconds; q < 5 || q > 10 {
			t.Errorf("0.999 is %v, want it in the last bucket", q)
		}
	})
	t.Run("counters of the window before", func(t *testing.T) {
		dep := dependency("rpc_seconds")
		dep.Observed = config.Observed{Attempts: "sum(rate(tries_total[$window]))", Timeouts: "sum(rate(cut_total[$window]))"}
		o := must(t, dep)
		// rate() spreads 239 or 240 intervals over the hour.
		diff(t, "attempts", []float64{2 * 240 * 100, 240 * 100}, []float64{*o.Observed.Attempts, *o.ObservedBefore.Attempts}, within(0.005))
		diff(t, "timeouts", []float64{2 * 240 * 3, 240 * 3}, []float64{*o.Observed.Timeouts, *o.ObservedBefore.Timeouts}, within(0.005))
	})
	t.Run("failures", func(t *testing.T) { summariesThatFail(t, c) })
	t.Run("check", func(t *testing.T) { checkOtherSources(t, c) })
}

func within(share float64) cmp.Option {
	return cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= share*math.Max(a, b) })
}

// comparesReplicas wants each replica's own distribution, and as many samples
// as its longest series has.
func comparesReplicas(t *testing.T, o latency.Observation) {
	t.Helper()
	type replica struct {
		Name                   string
		Calls, Scrapes, Slower float64 // share above 1 s
	}
	slow := 1 - lognormal(0.9, 0.8)(1)
	fast := 1 - usual(1)
	want := []replica{
		{"", 240 * 1000, 240, fast},
		{"a", 240 * 1000, 240, fast},
		{"b", (240 + 40) * 1000, 240, slow},
		{"new", 120 * 1000, 121, fast},
	}
	var got []replica
	for _, r := range o.Replicas {
		got = append(got, replica{r.Name, r.Histogram.Total(), r.Scrapes, r.Histogram.FractionAbove(1)})
	}
	diff(t, "replicas", want, got, within(0.01))
}

func summariesThatFail(t *testing.T, c *promquery.Client) {
	for name, tc := range map[string]struct {
		dep  config.Dependency
		kind promquery.Kind
		says string
	}{
		"idle":      {selecting(summarized("sum_seconds"), matcher("job", "idle")), promquery.KindNoData, "no value on any of 1 series"},
		"gone":      {selecting(summarized("sum_seconds"), matcher("job", "gone")), promquery.KindNoData, "is the caller still running and scraped?"},
		"p90 alone": {summarized("p90_seconds"), promquery.KindNoData, "a current sample of the quantiles 0.5 and 0.99: does it record them"},
		"no such":   {summarized("qqq_seconds"), promquery.KindNoData, "no series match qqq_seconds just now"},
		"histogram": {summarized("rpc_seconds"), promquery.KindUnusable, "is a histogram, which says more"},
		"counter":   {summarized("tries_total"), promquery.KindUnusable, "a gauge, a counter or a native histogram"},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.Observe(t.Context(), []config.Dependency{tc.dep}, evening)[0]
			wantError(t, r.Err, tc.kind, tc.says)
		})
	}
}

func checkOtherSources(t *testing.T, c *promquery.Client) {
	twice := dependency("")
	twice.Latency.Quantiles = []config.Quantile{{P: 0.5, Query: "job:rpc_seconds:p50"}, {P: 0.99, Query: "job:rpc_seconds:p99"}}
	missing := dependency("")
	missing.Latency.Quantiles = []config.Quantile{{P: 0.5, Query: `job:rpc_seconds:p50{pod="b"}`}, {P: 0.99, Query: "job:rpc_seconds:p9"}}
	for name, tc := range map[string]struct {
		dep   config.Dependency
		found string
		want  []string // "key: text in the message"
	}{
		"replicas":             {replicated("rpc_seconds", "pod"), "classic histogram, 5 series", nil},
		"slip in the label":    {replicated("rpc_seconds", "pods"), "classic histogram, 5 series", []string{`latency.replica_label: no series of rpc_seconds_bucket{le="+Inf"} has the label pods; did you mean pod?`}},
		"another label":        {replicated("rpc_seconds", "instance"), "classic histogram, 5 series", []string{`latency.replica_label: no series of rpc_seconds_bucket{le="+Inf"} has the label instance; they have code, job, pod`}},
		"summary":              {selecting(summarized("sum_seconds"), matcher("job", "a")), "summary, 3 series", nil},
		"idle summary":         {selecting(summarized("sum_seconds"), matcher("job", "idle")), "nothing", []string{`latency.histogram: the summary has seen no call lately`}},
		"summary that is gone": {selecting(summarized("sum_seconds"), matcher("job", "gone")), "nothing", []string{`latency.histogram: no samples of sum_seconds{job="gone",quantile=~"0\\.50*|0\\.990*"} in the last 5m; the last one was at 2024-05-01T17:30:00Z, 30m0s ago`}},
		"other quantiles":      {summarized("p90_seconds"), "nothing", []string{`latency.histogram: no series match because of quantile=~"0\\.50*|0\\.990*" (without it 1 match; quantile is "0.9")`}},
		"summary of others":    {selecting(summarized("sum_seconds"), matcher("job", "x")), "nothing", []string{`latency.histogram: no series match because of job="x"`}},
		"no summary":           {summarized("sum_second"), "nothing", []string{`latency.histogram: no metric sum_second in the last 1d; did you mean sum_seconds?`}},
		"histogram":            {summarized("rpc_seconds"), "nothing", []string{`latency.histogram: not a summary: rpc_seconds is a histogram`}},
		"two series":           {twice, "PromQL for quantiles", []string{`latency.quantiles["0.99"]: it answers with 2 series and must answer with one`}},
		"no series":            {missing, "PromQL for quantiles", []string{`latency.quantiles["0.5"]: no series match because of pod="b"`, `latency.quantiles["0.99"]: no metric job:rpc_seconds:p9 in the last 1d; did you mean job:rpc_seconds:p99?`}},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.Check(t.Context(), []config.Dependency{tc.dep}, evening)[0]
			if r.Found() != tc.found {
				t.Errorf("found %q, want %q", r.Found(), tc.found)
			}
			var got []string
			for i, p := range r.Problems {
				text := p.Key + ": " + p.Message
				if i < len(tc.want) && strings.HasPrefix(text, tc.want[i]) {
					text = tc.want[i]
				}
				got = append(got, text)
			}
			diff(t, "problems", tc.want, got)
		})
	}
}
