package promquery_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// observe asks the fake about one dependency.
func observe(t *testing.T, f fake, dep config.Dependency) promquery.Result {
	t.Helper()
	return client(t, serve(t, f), nil).Observe(t.Context(), []config.Dependency{dep}, noon)[0]
}

// observed is observe for answers without an error.
func observed(t *testing.T, f fake, dep config.Dependency) latency.Observation {
	t.Helper()
	r := observe(t, f, dep)
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	return r.Observation
}

func TestClassicHistogramBecomesAnObservation(t *testing.T) {
	o := observed(t, fake{}, dependency("a_seconds"))
	sum := 12 * 41.0
	bins := func(parts float64) latency.Histogram {
		return latency.Histogram{Scheme: latency.Classic, Bins: []latency.Bin{
			{Lower: 0, Upper: 0.1, Count: parts * 30}, {Lower: 0.1, Upper: 1, Count: parts * 65}, {Lower: 1, Upper: infinity, Count: parts * 5},
		}}
	}
	want := latency.Window{Parts: slices.Repeat([]latency.Histogram{bins(1)}, 12), Scrapes: 20}
	diff(t, "the window before", want, o.Before)
	want.Whole = bins(12)
	want.Whole.Sum = &sum
	diff(t, "the window", want, o.Now)
	p50, p99 := 0.1+0.9*20/65, 1.0 // histogram_quantile over the same buckets
	diff(t, "p50", &p50, o.P50)
	diff(t, "p99", &p99, o.P99)
	diff(t, "the time", noon, o.At)
	diff(t, "the window's length", time.Hour, o.Window)
	diff(t, "notes", []string(nil), o.Notes)
	var purposes []string
	for _, q := range o.Queries {
		purposes = append(purposes, q.Purpose)
	}
	diff(t, "purposes", []string{"scrapes", "buckets", "quantiles", "parts"}, purposes)
}

func TestMillisecondsBecomeSeconds(t *testing.T) {
	dep := dependency("bad_milliseconds")
	dep.Latency.UnitScale = 0.001
	o := observed(t, fake{
		buckets: matrix(map[string]string{`"le":"700"`: "30", `"le":"+Inf"`: "30", `"stat":"sum"`: "9000"}),
	}, dep)
	h := o.Now.Whole
	if got := h.Bins[0].Upper; got != 0.7 {
		t.Errorf("700 ms became %v s, want 0.7 to the last bit: a timeout of 700ms must lie on the bound", got)
	}
	if *h.Sum != 12*9 || *o.P50 != 0.35 || *o.P99 != 0.693 {
		t.Errorf("sum %v, p50 %v, p99 %v; want 108, 0.35, 0.693", *h.Sum, *o.P50, *o.P99)
	}
}

func TestTwoSpellingsOfABoundAreOne(t *testing.T) {
	o := observed(t, fake{
		scrapes: vector(with(healthyScrapes, `"stat":"classic layout","le":"1.0"`, "1", `"stat":"classic layout","le":"1"`, "2")),
		buckets: matrix(with(healthyBuckets, `"le":"1.0"`, "40", `"le":"1"`, "55")),
	}, dependency("bad_seconds"))
	diff(t, "bins", []latency.Bin{{Upper: 0.1, Count: 30}, {Lower: 0.1, Upper: 1, Count: 65}, {Lower: 1, Upper: infinity, Count: 5}}, o.Now.Parts[0].Bins)
}

func TestPartsFollowTheSamplesPerSeries(t *testing.T) {
	for _, tc := range []struct {
		samples string
		parts   int
		scrapes float64
	}{
		{"2", 1, 2}, {"3", 1, 3}, {"7", 1, 7}, {"8", 2, 4}, {"15", 3, 5}, {"47", 11, 47.0 / 11}, {"48", 12, 4}, {"3600", 12, 300},
	} {
		t.Run(tc.samples+" samples", func(t *testing.T) {
			o := observed(t, fake{scrapes: vector(with(healthyScrapes, `"stat":"classic samples"`, tc.samples))}, dependency("bad_seconds"))
			if len(o.Now.Parts) != tc.parts || len(o.Before.Parts) != tc.parts || o.Now.Scrapes != tc.scrapes {
				t.Errorf("%d and %d parts of %v samples, want %d of %v",
					len(o.Now.Parts), len(o.Before.Parts), o.Now.Scrapes, tc.parts, tc.scrapes)
			}
		})
	}
}

func TestNoCallsAreZerosAndNoSamplesAreSaid(t *testing.T) {
	t.Run("no calls", func(t *testing.T) {
		o := observed(t, fake{
			buckets: matrix(map[string]string{`"le":"0.1"`: "0", `"le":"1"`: "0", `"le":"+Inf"`: "0", `"stat":"sum"`: "0"}),
		}, dependency("bad_seconds"))
		if len(o.Now.Parts) != 12 || o.Now.Parts[0].Total() != 0 || o.P50 != nil || o.P99 != nil || len(o.Notes) != 0 {
			t.Errorf("want 12 empty parts, no quantiles and no notes, got %+v", o)
		}
	})
	// The range has 24 moments; the last 12 are the window.
	sampled := func(at func(i int) bool) fake {
		return fake{buckets: matrixOf([]string{`"le":"0.1"`, `"le":"+Inf"`}, func(_ string, i int) string {
			if at(i) {
				return "7"
			}
			return ""
		})}
	}
	t.Run("a gap", func(t *testing.T) {
		o := observed(t, sampled(func(i int) bool { return i != 15 }), dependency("bad_seconds"))
		if len(o.Now.Parts) != 12 || o.Now.Parts[3].Total() != 0 || len(o.Now.Parts[3].Bins) != 2 {
			t.Errorf("want an empty fourth part with the same bounds, got %+v", o.Now.Parts)
		}
		diff(t, "notes", []string{"1 of 12 parts of the window, 5m0s each, hold no samples"}, o.Notes)
	})
	t.Run("ended half a window ago", func(t *testing.T) {
		o := observed(t, sampled(func(i int) bool { return i < 18 }), dependency("bad_seconds"))
		diff(t, "notes", []string{"6 of 12 parts of the window, 5m0s each, hold no samples; the series ended at least 30m0s ago, and the figures describe the time before"}, o.Notes)
	})
	t.Run("ended earlier", func(t *testing.T) {
		r := observe(t, sampled(func(i int) bool { return i < 17 }), dependency("bad_seconds"))
		wantError(t, r.Err, promquery.KindNoData, "no samples in the last 35m0s")
	})
	t.Run("all gone", func(t *testing.T) {
		r := observe(t, sampled(func(i int) bool { return i < 12 }), dependency("bad_seconds"))
		wantError(t, r.Err, promquery.KindNoData, "no series has two samples in the window")
	})
	t.Run("nothing before", func(t *testing.T) {
		o := observed(t, sampled(func(i int) bool { return i >= 12 }), dependency("bad_seconds"))
		if len(o.Before.Parts) != 0 || len(o.Notes) != 0 {
			t.Errorf("want no window before and no note, got %+v, %q", o.Before, o.Notes)
		}
	})
	t.Run("nonsense before", func(t *testing.T) {
		f := fake{buckets: matrixOf([]string{`"le":"0.1"`, `"le":"+Inf"`}, func(le string, i int) string {
			if i == 3 && le == `"le":"0.1"` {
				return "8"
			}
			return "7"
		})}
		o := observed(t, f, dependency("bad_seconds"))
		if len(o.Before.Parts) != 0 || len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "the window before cannot be read") {
			t.Errorf("want no window before and a note, got %+v, %q", o.Before, o.Notes)
		}
	})
}

// Query frontends cut a range into whole multiples of the step, so that they
// can cache it: every moment comes up to one step early.
func TestMomentsMovedByAQueryFrontend(t *testing.T) {
	moved := func(w http.ResponseWriter, r *http.Request) {
		var points []string
		for i := range 24 {
			at := noon.Add(-time.Duration(23-i) * 5 * time.Minute).Add(-299 * time.Second)
			points = append(points, fmt.Sprintf(`[%d,"%d"]`, at.Unix(), i))
		}
		success(`{"resultType":"matrix","result":[{"metric":{"le":"+Inf"},"values":[`+strings.Join(points, ",")+`]}]}`)(w, r)
	}
	o := observed(t, fake{buckets: moved}, dependency("bad_seconds"))
	if first, last := o.Before.Parts[0].Total(), o.Now.Parts[11].Total(); first != 0 || last != 23 {
		t.Errorf("the first part holds %v and the last %v, want 0 and 23", first, last)
	}
}

func TestServerRemarksBecomeNotesOnce(t *testing.T) {
	remark := "PromQL info: metric might not be a counter"
	f := fake{
		scrapes: func(w http.ResponseWriter, r *http.Request) {
			text(200, "application/json", `{"status":"success","data":{"resultType":"vector","result":[
				{"metric":{"stat":"classic samples"},"value":[1,"240"]},{"metric":{"stat":"classic series"},"value":[1,"8"]},
				{"metric":{"stat":"classic born"},"value":[1,"2"]}]},"infos":["`+remark+`"]}`)(w, r)
		},
		parts: remarking(matrix(healthyBuckets), remark, "store b is away"),
	}
	o := observed(t, f, dependency("bad_seconds"))
	if len(o.Notes) != 3 || o.Notes[0] != remark || o.Notes[2] != "store b is away" {
		t.Errorf("notes %q, want the first remark once, the newcomers and the second", o.Notes)
	}
	if !strings.Contains(o.Notes[1], "2 of 8 series began inside the window") {
		t.Errorf("the note %q does not speak of newcomers", o.Notes[1])
	}
}

func TestEmptyAnswerShowsWhatTheServerRemarked(t *testing.T) {
	f := fake{buckets: success(`{"resultType":"vector","result":[]}`, "vector contains histograms with incompatible custom buckets")}
	r := observe(t, f, dependency("bad_seconds"))
	wantError(t, r.Err, promquery.KindNoData, "incompatible custom buckets")
}

func TestBothFormsOfAHistogram(t *testing.T) {
	both := func(nativeSeries string) fake {
		return fake{
			scrapes: vector(with(healthyScrapes, `"stat":"native samples"`, "240", `"stat":"native series"`, nativeSeries)),
			buckets: func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.FormValue("query"), "_bucket") {
					matrix(healthyBuckets)(w, r)
					return
				}
				nativeMatrix("", exponentialSample)(w, r)
			},
		}
	}
	t.Run("native wins", func(t *testing.T) {
		o := observed(t, both("3"), dependency("bad_seconds"))
		if o.Now.Parts[0].Scheme != latency.Exponential {
			t.Errorf("scheme %s, want %s", o.Now.Parts[0].Scheme, latency.Exponential)
		}
	})
	t.Run("classic wins where it covers more", func(t *testing.T) {
		o := observed(t, both("1"), dependency("bad_seconds"))
		if o.Now.Parts[0].Scheme != latency.Classic {
			t.Errorf("scheme %s, want %s", o.Now.Parts[0].Scheme, latency.Classic)
		}
		diff(t, "notes", []string{"classic buckets are read: 3 series have them and only 1 have a native histogram"}, o.Notes)
	})
	t.Run("the configured kind decides", func(t *testing.T) {
		dep := dependency("bad_seconds")
		dep.Latency.Kind = "classic"
		if o := observed(t, both("3"), dep); strings.Contains(o.Queries[0].Text(), "histogram_count") {
			t.Errorf("kind classic asks for native histograms: %s", o.Queries[0].Text())
		}
	})
}

func TestServerWithoutNativeHistogramsIsAskedForClassicOnes(t *testing.T) {
	f := fake{scrapes: func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.FormValue("query"), "histogram_count") {
			failed(422, "422", `unknown function "histogram_count"`)(w, r)
			return
		}
		vector(healthyScrapes)(w, r)
	}}
	o := observed(t, f, dependency("bad_seconds"))
	if len(o.Now.Parts) != 12 || len(o.Queries) != 5 {
		t.Errorf("%d parts by %d queries, want 12 by 5", len(o.Now.Parts), len(o.Queries))
	}
}

func TestConfiguredRatesBecomeCountsOverTheWindow(t *testing.T) {
	dep := dependency("a_seconds")
	dep.ErrorRatio.Query = "sum(rate(e[$window]))"
	dep.Observed = config.Observed{Attempts: "a", Timeouts: "b", Retries: "c", Calls: "d", Fallbacks: "e"}
	o := observed(t, fake{}, dep) // which answers 0.004 to each
	ratio, count := 0.004, 0.004*3600
	diff(t, "error ratio", &ratio, o.ErrorRatio)
	diff(t, "counters", latency.Counters{Attempts: &count, Timeouts: &count, Retries: &count, Calls: &count, Fallbacks: &count}, o.Observed, near)
	diff(t, "counters of the window before", latency.Counters{Attempts: &count, Timeouts: &count}, o.ObservedBefore, near)
	if got := len(o.Queries); got != 12 {
		t.Errorf("%d queries are shown, want 12", got)
	}
}

func TestExpressionWithTwoAnswersFailsItsDependencyAlone(t *testing.T) {
	dep := dependency("bad_seconds")
	dep.Observed.Calls = "rate(bad_calls_total[$window])"
	f := fake{other: vector(map[string]string{`"pod":"a"`: "1", `"pod":"b"`: "2"})}
	results := client(t, serve(t, f), nil).Observe(t.Context(), []config.Dependency{dep, dependency("good_seconds")}, noon)
	wantError(t, results[0].Err, promquery.KindUnusable, "observed.calls: it answers with 2 series")
	if len(results[0].Observation.Now.Parts) != 12 {
		t.Error("the histogram is lost, which was answered well")
	}
	fresh(t, results[1])
}

func TestObservationsThatAreNaNAreSaid(t *testing.T) {
	f := fake{
		scrapes: vector(map[string]string{`"stat":"native samples"`: "240", `"stat":"native series"`: "1"}),
		buckets: nativeMatrix("", strings.Replace(exponentialSample, `"count":"103"`, `"count":"110"`, 1)),
	}
	o := observed(t, f, dependency("bad_seconds"))
	if got := o.Now.Parts[0].Total(); got != 103 || len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "NaN") {
		t.Errorf("%v values, notes %q; want 103 and a note", got, o.Notes)
	}
}
