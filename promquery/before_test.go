package promquery_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// ifBefore answers queries about the window before in one way and others in
// another.
func ifBefore(before, now http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if at := r.FormValue("time"); strings.HasPrefix(at, "1714561200") { // an hour before noon
			before(w, r)
			return
		}
		now(w, r)
	}
}

func counting(o config.Observed) config.Dependency {
	dep := dependency("bad_seconds")
	dep.Observed = o
	return dep
}

var bothCounters = config.Observed{Attempts: "bad_attempts", Timeouts: "bad_timeouts"}

func TestAttemptsAndTimeoutsAreAskedForTheWindowBefore(t *testing.T) {
	o := observed(t, fake{other: ifBefore(one("0.5"), one("2"))}, counting(bothCounters))
	now, before := 7200.0, 1800.0
	diff(t, "the window", latency.Counters{Attempts: &now, Timeouts: &now}, o.Observed)
	diff(t, "the window before", latency.Counters{Attempts: &before, Timeouts: &before}, o.ObservedBefore)
	hourAgo := noon.Add(-time.Hour)
	diff(t, "the queries for it", []latency.Query{
		{Purpose: "observed-attempts-before", PromQL: latency.Words("bad_attempts"), Start: hourAgo, End: hourAgo},
		{Purpose: "observed-timeouts-before", PromQL: latency.Words("bad_timeouts"), Start: hourAgo, End: hourAgo},
	}, o.Queries[4:6])
}

func TestOneCounterAloneIsNotAskedForTheWindowBefore(t *testing.T) {
	for _, of := range []config.Observed{{Attempts: "bad_attempts", Calls: "bad_calls"}, {Timeouts: "bad_timeouts"}, {Retries: "bad_retries", Fallbacks: "bad_fallbacks"}} {
		o := observed(t, fake{}, counting(of))
		for _, q := range o.Queries {
			if strings.HasSuffix(q.Purpose, "-before") {
				t.Errorf("%+v asks %+v", of, q)
			}
		}
		diff(t, "counters of the window before", latency.Counters{}, o.ObservedBefore)
	}
}

func TestCountersThatCannotBeReadOfTheWindowBefore(t *testing.T) {
	t.Run("there were none yet", func(t *testing.T) {
		o := observed(t, fake{other: ifBefore(vector(nil), one("2"))}, counting(bothCounters))
		if o.Observed.Timeouts == nil || len(o.Notes) != 0 {
			t.Errorf("got %+v, notes %q; want no note", o.Observed, o.Notes)
		}
		diff(t, "the window before", latency.Counters{}, o.ObservedBefore)
	})
	t.Run("there were several", func(t *testing.T) {
		several := vector(map[string]string{`"pod":"a"`: "1", `"pod":"b"`: "2"})
		o := observed(t, fake{other: ifBefore(several, one("2"))}, counting(bothCounters))
		if len(o.Notes) != 2 || !strings.HasPrefix(o.Notes[0], "of the window before: observed.attempts: it answers with 2 series") {
			t.Errorf("notes %q, want one about each counter", o.Notes)
		}
	})
	t.Run("the query failed", func(t *testing.T) {
		r := observe(t, fake{other: ifBefore(text(503, "text/plain", ""), one("2"))}, counting(bothCounters))
		wantError(t, r.Err, promquery.KindServerError, "observed-attempts-before query: ")
	})
}

// What a person needs to ask again by hand.
func TestQueriesSayForWhichTimeTheyWereAsked(t *testing.T) {
	o := observed(t, fake{}, dependency("a_seconds"))
	want := []latency.Query{
		{Purpose: "scrapes"},
		{Purpose: "buckets"},
		{Purpose: "quantiles"},
		{Purpose: "parts", Start: noon.Add(-115 * time.Minute), End: noon, Step: 5 * time.Minute},
	}
	for i := range o.Queries {
		o.Queries[i].PromQL = nil
	}
	diff(t, "queries", want, o.Queries)
}
