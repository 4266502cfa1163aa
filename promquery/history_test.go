package promquery_test

import (
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// pastFake answers range queries about the past: one healthy histogram scraped
// every 15 s, and counters of 100 attempts and 2 timeouts a second. counts is
// asked first, and answers where it returns one.
type pastFake struct {
	surveys, counts func(moments int) http.HandlerFunc
	asked           atomic.Int64
}

func (f *pastFake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.asked.Add(1)
	start, _ := strconv.ParseFloat(r.FormValue("start"), 64)
	end, _ := strconv.ParseFloat(r.FormValue("end"), 64)
	step, _ := strconv.ParseFloat(r.FormValue("step"), 64)
	moments := 1 + int((end-start)/step+0.5)
	pick := func(special func(int) http.HandlerFunc, usual http.HandlerFunc) {
		if special != nil {
			if answer := special(moments); answer != nil {
				usual = answer
			}
		}
		usual(w, r)
	}
	switch query := r.FormValue("query"); {
	case strings.Contains(query, "count_over_time"):
		pick(f.surveys, matrix(healthyScrapes))
	case strings.Contains(query, "attempts"):
		pick(nil, matrix(map[string]string{"": "100"}))
	case strings.Contains(query, "timeouts"):
		pick(nil, matrix(map[string]string{"": "2"}))
	default:
		pick(f.counts, matrix(healthyBuckets))
	}
}

func pastOf(t *testing.T, f *pastFake, dep config.Dependency, o promquery.HistoryOptions) []promquery.Result {
	t.Helper()
	o.End, o.Step = noon, time.Hour
	return client(t, serve(t, f), nil).History(t.Context(), dep, o)
}

// refusing answers what asks for more than so many moments as Prometheus does.
func refusing(most int) func(int) http.HandlerFunc {
	return func(moments int) http.HandlerFunc {
		if moments <= most {
			return nil
		}
		return text(http.StatusUnprocessableEntity, "application/json",
			`{"status":"error","errorType":"execution","error":"query processing would load too many samples into memory in query execution"}`)
	}
}

func TestAWeekTakesTwoQueries(t *testing.T) {
	f := &pastFake{}
	for i, r := range pastOf(t, f, dependency("a_seconds"), promquery.HistoryOptions{Steps: 168}) {
		fresh(t, r)
		o := r.Observation
		if want := noon.Add(-time.Duration(167-i) * time.Hour); !o.At.Equal(want) || o.Window != time.Hour || len(o.Before.Parts) != 12 || len(o.Queries) != 2 {
			t.Errorf("hour %d: at %v, want %v; %d parts before, %d queries", i, o.At, want, len(o.Before.Parts), len(o.Queries))
		}
	}
	if n := f.asked.Load(); n != 2 {
		t.Errorf("%d queries, want 2", n)
	}
}

func TestWhatIsTooMuchAtOnceIsAskedInHalves(t *testing.T) {
	f := &pastFake{surveys: refusing(50), counts: refusing(300)}
	for _, r := range pastOf(t, f, dependency("a_seconds"), promquery.HistoryOptions{Steps: 168}) {
		fresh(t, r)
	}
	// 4 + 3 for 169 hours at 43 each; 1,014 and 507 moments are refused once, then
	// no query asks for more than 252 again.
	if n := f.asked.Load(); n > 24 {
		t.Errorf("%d queries: what was refused is asked for again and again", n)
	}
}

func TestStepsThatFailFailAlone(t *testing.T) {
	for name, c := range map[string]struct {
		f    *pastFake
		dep  config.Dependency
		o    promquery.HistoryOptions
		kind promquery.Kind
		says string
	}{
		"too much in a single step": {&pastFake{counts: refusing(0)}, dependency("a_seconds"), promquery.HistoryOptions{Steps: 3}, promquery.KindBadQuery, "buckets query: "},
		"no such series": {&pastFake{surveys: func(int) http.HandlerFunc { return matrix(nil) }}, dependency("a_seconds"),
			promquery.HistoryOptions{Steps: 3}, promquery.KindNoData, "no series match a_seconds in the 1h"},
		"mixed buckets": {&pastFake{surveys: func(int) http.HandlerFunc {
			return matrix(with(healthyScrapes, `"stat":"classic layout","le":"0.1"`, "2"))
		}},
			dependency("a_seconds"), promquery.HistoryOptions{Steps: 3}, promquery.KindUnusable, "different bucket bounds"},
		"the server is down":    {&pastFake{surveys: func(int) http.HandlerFunc { return text(503, "text/plain", "") }}, dependency("a_seconds"), promquery.HistoryOptions{Steps: 3}, promquery.KindServerError, "scrapes query: "},
		"more than was allowed": {&pastFake{}, dependency("a_seconds"), promquery.HistoryOptions{Steps: 3, MaxSamples: 1000}, promquery.KindTooLarge, "hold about 8.6e+03 samples of this histogram, and at most 1e+03 are read"},
		"the server runs out of time": {&pastFake{counts: func(int) http.HandlerFunc {
			return text(503, "application/json", `{"status":"error","errorType":"timeout","error":"query timed out in expression evaluation"}`)
		}}, dependency("a_seconds"), promquery.HistoryOptions{Steps: 3}, promquery.KindTimeout, "ran out of time"},
		"a summary": {&pastFake{}, summarized("a_seconds"), promquery.HistoryOptions{Steps: 3}, promquery.KindUnusable, "only quantiles are known"},
	} {
		t.Run(name, func(t *testing.T) {
			past := pastOf(t, c.f, c.dep, c.o)
			if len(past) != 3 {
				t.Fatalf("%d steps, want 3", len(past))
			}
			for _, r := range past {
				wantError(t, r.Err, c.kind, c.says)
			}
		})
	}
	t.Run("one hour of two", func(t *testing.T) {
		f := &pastFake{counts: func(int) http.HandlerFunc {
			return matrixOf([]string{`"le":"0.1"`, `"le":"1"`, `"le":"+Inf"`}, func(labels string, i int) string {
				if i >= 24 && i < 36 && labels == `"le":"0.1"` {
					return "200" // falls behind the bound above it
				}
				return map[string]string{`"le":"0.1"`: "30", `"le":"1"`: "95", `"le":"+Inf"`: "100"}[labels]
			})
		}}
		past := pastOf(t, f, dependency("a_seconds"), promquery.HistoryOptions{Steps: 3})
		wantError(t, past[1].Err, promquery.KindUnusable, "cumulative bucket counts fall")
		fresh(t, past[0])
		fresh(t, past[2])
		if len(past[2].Observation.Before.Parts) != 0 {
			t.Error("an hour that is no histogram is the window before")
		}
	})
}

func TestCountersOfThePastAreRead(t *testing.T) {
	dep := dependency("a_seconds")
	dep.Observed = config.Observed{Attempts: "sum(rate(attempts[$window]))", Timeouts: "sum(rate(timeouts[$window]))"}
	past := pastOf(t, &pastFake{}, dep, promquery.HistoryOptions{Steps: 2})
	for i, r := range past {
		o := r.Observation
		if o.Observed.Attempts == nil || *o.Observed.Attempts != 360000 || *o.Observed.Timeouts != 7200 || o.ObservedBefore.Timeouts == nil {
			t.Errorf("hour %d: %+v", i, o.Observed)
		}
	}
}

func TestServerThatRunsOutOfTimeIsNotAskedForEachHour(t *testing.T) {
	f := &pastFake{counts: func(int) http.HandlerFunc {
		return text(503, "application/json", `{"status":"error","errorType":"timeout","error":"query timed out in expression evaluation"}`)
	}}
	for _, r := range pastOf(t, f, dependency("a_seconds"), promquery.HistoryOptions{Steps: 168}) {
		wantError(t, r.Err, promquery.KindTimeout, "ran out of time")
	}
	if n := f.asked.Load(); n > 12 {
		t.Errorf("%d queries, each of which costs the server its whole timeout", n)
	}
}

func TestPacketsThatVanishEndTheRoundThroughThePast(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never shakes hands
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	var asked atomic.Int64
	c := client(t, "https://"+silent.Addr().String(), func(o *promquery.Options) {
		o.Prometheus.QueryTimeout = 50 * time.Millisecond
		o.Prometheus.MaxConcurrentQueries = 1
		o.OnQuery = func(promquery.Outcome, time.Duration) { asked.Add(1) }
	})
	deps := slices.Repeat([]config.Dependency{dependency("a_seconds")}, 20)
	told := 0
	c.Histories(t.Context(), deps, promquery.HistoryOptions{End: noon, Step: time.Hour, Steps: 24}, func(_ int, steps []promquery.Result) {
		told++
		wantError(t, steps[23].Err, promquery.KindUnreachable, "")
	})
	if told != 20 || asked.Load() != 2 {
		t.Errorf("told of %d dependencies after %d queries, want 20 and 2", told, asked.Load())
	}
}
