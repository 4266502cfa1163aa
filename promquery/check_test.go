package promquery_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// checked asks the fake to check one dependency.
func checked(t *testing.T, f fake, dep config.Dependency) promquery.CheckResult {
	t.Helper()
	results := client(t, serve(t, f), nil).Check(t.Context(), []config.Dependency{dep}, noon)
	if len(results) != 1 || results[0].Dependency != dep.Name {
		t.Fatalf("got %+v, want one result for %s", results, dep.Name)
	}
	return results[0]
}

func TestCheckSaysWhichFormWasFound(t *testing.T) {
	r := checked(t, fake{other: vector(map[string]string{"": "3"})}, dependency("bad_seconds"))
	if r.Form != "classic" || r.Series != 3 || len(r.Problems) != 0 {
		t.Errorf("got %+v, want a classic histogram of 3 series and no problems", r)
	}
}

func TestCheckSaysThatTheServerFailed(t *testing.T) {
	r := checked(t, fake{scrapes: text(503, "text/plain", "")}, dependency("bad_seconds"))
	if len(r.Problems) != 1 || r.Problems[0].Err == nil || r.Problems[0].Err.Kind != promquery.KindServerError {
		t.Fatalf("got %+v, want the server's failure", r.Problems)
	}
	if p := r.Problems[0]; p.Key != "latency.histogram" || !strings.Contains(p.Message, "failed (503)") {
		t.Errorf("got %s: %s", p.Key, p.Message)
	}
}

func TestCheckSaysWhichExpressionDoesNotParse(t *testing.T) {
	dep := dependency("bad_seconds")
	dep.Observed.Calls = "sum("
	r := checked(t, fake{}, dep)
	if len(r.Problems) != 1 || r.Problems[0].Key != "observed.calls" {
		t.Errorf("got %+v, want a problem of observed.calls", r.Problems)
	}
}

// The scrapes query finds series in the window, and the counts that follow find
// none in its last quarter.
func TestCheckFailsWhereSeriesHaveStopped(t *testing.T) {
	r := checked(t, fake{other: vector(nil)}, dependency("bad_seconds"))
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "in the last 15m; the last one was within the last 1d") {
		t.Errorf("got %+v, want that the series have stopped", r.Problems)
	}
}

func TestCheckSaysWhatTheLatencyIsReadFrom(t *testing.T) {
	three := one("3")
	for name, tc := range map[string]struct {
		dep  config.Dependency
		form string
		says string
	}{
		"histogram": {dependency("bad_seconds"), "classic", "classic histogram, 3 series"},
		"summary":   {summarized("bad_seconds"), "summary", "summary, 3 series"},
		"quantiles": {byQuantiles("bad"), "quantiles", "PromQL for quantiles"},
	} {
		t.Run(name, func(t *testing.T) {
			r := checked(t, fake{other: three}, tc.dep)
			if r.Form != tc.form || r.Found() != tc.says || len(r.Problems) != 0 {
				t.Errorf("form %q, found %q, problems %+v", r.Form, r.Found(), r.Problems)
			}
		})
	}
	if got := (promquery.CheckResult{}).Found(); got != "nothing" {
		t.Errorf("found %q, want nothing", got)
	}
}

func TestCheckSaysWhichQuantileHasNoAnswer(t *testing.T) {
	f := fake{other: answers(answer{"count(", one("3")}, answer{"p50", one("0.2")}, answer{"p90", one("NaN")})}
	r := checked(t, f, byQuantiles("bad"))
	var got []string
	for _, p := range r.Problems {
		got = append(got, p.Key+": "+p.Message)
	}
	want := []string{
		`latency.quantiles["0.9"]: the answer is NaN (nothing divided by nothing?), so the figure is unknown`,
		`latency.quantiles["0.99"]: each selector matches series, and together they leave nothing: ` +
			"do the two sides of an operator have the same labels, and the counters two samples in the range?",
	}
	diff(t, "problems", want, got)
}

func TestCheckSaysWhereALevelOfACounterIsRead(t *testing.T) {
	metadata := func(types string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/metadata") {
				text(200, "application/json", `{"status":"success","data":{"`+r.FormValue("metric")+`":[`+types+`]}}`)(w, r)
				return
			}
			fake{other: one("3")}.ServeHTTP(w, r)
		})
	}
	dep := dependency("bad_seconds")
	dep.Observed.Calls = "sum(bad_calls)"
	dep.Observed.Retries = "sum(rate(bad_retries[$window]))"
	for name, tc := range map[string]struct {
		types string
		says  string // "" for nothing
	}{
		"a counter":                {`{"type":"counter"}`, "not-a-rate: bad_calls is a counter by its metadata"},
		"a histogram":              {`{"type":"histogram"},{"type":"histogram"}`, "not-a-rate: bad_calls is a histogram by its metadata"},
		"a gauge":                  {`{"type":"gauge"}`, ""},
		"targets that differ":      {`{"type":"counter"},{"type":"gauge"}`, ""},
		"nobody knows":             {``, ""},
		"a server that is no help": {`"what?"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			problems := client(t, serve(t, metadata(tc.types)), nil).Check(t.Context(), []config.Dependency{dep}, noon)[0].Problems
			switch {
			case tc.says == "" && len(problems) > 0:
				t.Errorf("got %+v, want no problems", problems)
			case tc.says != "" && (len(problems) != 1 || problems[0].Key != "observed.calls" || !strings.HasPrefix(problems[0].Message, tc.says)):
				t.Errorf("got %+v, want one of observed.calls: %s", problems, tc.says)
			}
		})
	}
}
