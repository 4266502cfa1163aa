package promquery_test

import (
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
