package promquery_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// byQuantiles returns a dependency that gives its median, p90 and p99 as PromQL.
func byQuantiles(prefix string) config.Dependency {
	dep := dependency("")
	dep.Name = prefix
	dep.Latency.Quantiles = []config.Quantile{
		{P: 0.5, Query: prefix + `_p50{over="$window"}`}, {P: 0.9, Query: prefix + "_p90"}, {P: 0.99, Query: prefix + "_p99"},
	}
	return dep
}

// answer is what queries with a word in them are answered with.
type answer struct {
	word string
	with http.HandlerFunc
}

// answers gives the first answer that fits, and no series where none does.
func answers(inOrder ...answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, a := range inOrder {
			if strings.Contains(r.FormValue("query"), a.word) {
				a.with(w, r)
				return
			}
		}
		vector(nil)(w, r)
	}
}

// one answers with one element.
func one(value string) http.HandlerFunc { return vector(map[string]string{"": value}) }

func TestQuantilesAreReadAsConfigured(t *testing.T) {
	dep := byQuantiles("bad")
	dep.Latency.UnitScale = 0.001
	dep.ErrorRatio.Query = "bad_errors"
	o := observed(t, fake{other: answers(
		answer{"p50", one("200")}, answer{"p90", one("700")}, answer{"p99", one("1600")}, answer{"errors", one("0.25")},
	)}, dep)
	p50, p99, ratio := 0.2, 1.6, 0.25
	diff(t, "the observation", latency.Observation{
		At: noon, Window: dep.Window, QuantilesOnly: true, P50: &p50, P99: &p99, ErrorRatio: &ratio,
		Quantiles: []latency.QuantilePoint{{P: 0.5, Seconds: 0.2}, {P: 0.9, Seconds: 0.7}, {P: 0.99, Seconds: 1.6}},
		Queries: []latency.Query{
			{Purpose: "quantile-0.5", PromQL: latency.Words(`bad_p50{over="1h"}`)}, {Purpose: "quantile-0.9", PromQL: latency.Words("bad_p90")},
			{Purpose: "quantile-0.99", PromQL: latency.Words("bad_p99")}, {Purpose: "error-ratio", PromQL: latency.Words("bad_errors")},
		},
	}, o)
}

func TestQuantilesThatAreNotKnown(t *testing.T) {
	three := func(p50, p90, p99 http.HandlerFunc) fake {
		return fake{other: answers(answer{"p50", p50}, answer{"p90", p90}, answer{"p99", p99})}
	}
	for _, tc := range []badWeather{
		{name: "no median", fake: three(vector(nil), one("0.7"), one("1.6")), kind: promquery.KindNoData, says: `latency.quantiles["0.5"]: no series match, so the figure is unknown`},
		{name: "p99 is NaN", fake: three(one("0.2"), one("0.7"), one("NaN")), kind: promquery.KindNoData, says: `latency.quantiles["0.99"]: the answer is NaN`},
		{name: "p99 is 0", fake: three(one("0"), one("0"), one("0")), kind: promquery.KindNoData, says: `latency.quantiles["0.5"]: the answer is 0, which no latency is`},
		{name: "one for each pod", fake: three(vector(map[string]string{`"pod":"a"`: "1", `"pod":"b"`: "2"}), one("0.7"), one("1.6")), kind: promquery.KindUnusable, says: "answers with 2 series and must answer with one"},
		{name: "negative", fake: three(one("0.2"), one("0.7"), one("-1")), kind: promquery.KindUnusable, says: "at least 0"},
		{name: "swapped", fake: three(one("1.6"), one("1.6"), one("0.2")), kind: promquery.KindUnusable, says: "the 0.99 quantile is 0.2s, less than the 1.6s of 0.9"},
		{name: "not answered", fake: three(one("0.2"), one("0.7"), text(503, "text/plain", "")), kind: promquery.KindServerError, says: "quantile-0.99 query: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := observe(t, tc.fake, byQuantiles("bad"))
			wantError(t, r.Err, tc.kind, tc.says)
			wantReason(t, r.Err, tc.reason)
		})
	}
	t.Run("a quantile between is a note", func(t *testing.T) {
		o := observed(t, three(one("0.2"), vector(nil), one("1.6")), byQuantiles("bad"))
		if len(o.Quantiles) != 2 || len(o.Notes) != 1 || !strings.HasPrefix(o.Notes[0], `latency.quantiles["0.9"]: no series match`) {
			t.Errorf("quantiles %v, notes %q", o.Quantiles, o.Notes)
		}
	})
}

// summarized returns a dependency that reads a summary.
func summarized(name string) config.Dependency {
	dep := dependency(name)
	dep.Latency.Kind = "summary"
	return dep
}

func TestSummaryGivesTheLargestOfItsSeries(t *testing.T) {
	dep := summarized("a_milliseconds")
	dep.Latency.UnitScale = 0.001
	dep.Observed.Calls = "calls_per_second"
	o := observed(t, fake{summary: vector(healthySummary)}, dep)
	p50, p99, calls := 0.0002, 0.0016, 0.004*3600
	diff(t, "p50", &p50, o.P50)
	diff(t, "p99", &p99, o.P99)
	diff(t, "calls", &calls, o.Observed.Calls, near)
	diff(t, "quantiles", []latency.QuantilePoint{{P: 0.5, Seconds: p50}, {P: 0.99, Seconds: p99}}, o.Quantiles)
	if !o.QuantilesOnly || len(o.Now.Parts) != 0 || len(o.Queries) != 2 {
		t.Errorf("got %+v, want quantiles only, by two queries", o)
	}
	if len(o.Notes) != 1 || !strings.HasPrefix(o.Notes[0], "the quantiles are the largest of 3 series of a summary") {
		t.Errorf("notes %q", o.Notes)
	}
}

func TestSummaryOfTwoSpellings(t *testing.T) {
	o := observed(t, fake{summary: vector(with(healthySummary,
		`"quantile":"0.990"`, "2", `"quantile":"0.990","stat":"series"`, "1"))}, summarized("bad_seconds"))
	if *o.P99 != 2 || !strings.Contains(o.Notes[0], "largest of 4 series") {
		t.Errorf("p99 %v, notes %q; want 2 of 4 series", *o.P99, o.Notes)
	}
}

func TestSummaryWithoutWhatIsNeeded(t *testing.T) {
	names := func(counts ...string) fake {
		found := map[string]string{}
		for _, name := range counts {
			found[`"__name__":"`+name+`"`] = "2"
		}
		return fake{summary: vector(nil), names: vector(found)}
	}
	for _, tc := range []badWeather{
		{name: "no calls lately", fake: fake{summary: vector(with(healthySummary, `"quantile":"0.5"`, "NaN", `"quantile":"0.99"`, "NaN"))}, kind: promquery.KindNoData, says: "quantile 0.5 has no value on any of 3 series"},
		{name: "p90 is the highest", fake: fake{summary: vector(with(healthySummary, `"quantile":"0.99"`, "", `"quantile":"0.99","stat":"series"`, ""))}, kind: promquery.KindUnusable, says: `bad_seconds has no series with quantile="0.99"`},
		{name: "infinite", fake: fake{summary: vector(with(healthySummary, `"quantile":"0.99"`, "+Inf"))}, kind: promquery.KindUnusable, says: "which no latency is"},
		{name: "falling", fake: fake{summary: vector(with(healthySummary, `"quantile":"0.99"`, "0.1"))}, kind: promquery.KindUnusable, says: "the 0.99 quantile is 0.1s, less than"},
		{name: "no quantile at all", fake: fake{summary: vector(map[string]string{`"pod":"a"`: "1"})}, kind: promquery.KindMalformed, says: "not what was asked for"},
		{name: "a matrix", fake: fake{summary: matrix(nil)}, kind: promquery.KindMalformed, says: "summary query: "},
		{name: "not answered", fake: fake{summary: text(503, "text/plain", "")}, kind: promquery.KindServerError, says: "summary query: "},
		{name: "nothing by that name", fake: names(), kind: promquery.KindNoData, says: "no series match bad_seconds just now"},
		{name: "a classic histogram", fake: names("bad_seconds_bucket", "bad_seconds_count"), kind: promquery.KindUnusable, says: "bad_seconds is a histogram, which says more; set latency.kind to auto"},
		{name: "a gauge", fake: names("bad_seconds"), kind: promquery.KindUnusable, says: "a gauge, a counter or a native histogram"},
		{name: "old or other quantiles", fake: names("bad_seconds", "bad_seconds_count"), kind: promquery.KindNoData, says: "no series of bad_seconds has a current sample of the quantiles 0.5 and 0.99"},
		{name: "count and sum alone", fake: names("bad_seconds_count"), kind: promquery.KindUnusable, says: "no quantiles"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := observe(t, tc.fake, summarized("bad_seconds"))
			wantError(t, r.Err, tc.kind, tc.says)
			if len(r.Observation.Queries) == 0 {
				t.Error("the queries are not shown")
			}
		})
	}
}
