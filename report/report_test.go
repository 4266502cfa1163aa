package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got), -update writes it anew:\n%s", file, diff)
	}
}

func TestTextOfEveryStatus(t *testing.T) {
	var out bytes.Buffer
	if err := reporttest.EveryStatus().WriteText(&out); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\u202e") {
		t.Error("a name from outside moves the terminal's cursor")
	}
	golden(t, "every-status.txt", out.Bytes())
}

func TestTextOfAChainThatDoesNotFit(t *testing.T) {
	var out bytes.Buffer
	if err := reporttest.OverBudget().WriteText(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "chain.txt", out.Bytes())
}

func TestJSONOfAChainThatDoesNotFit(t *testing.T) {
	document := reporttest.OverBudget().Document()
	if len(document.Chains) != 1 {
		t.Fatalf("%d chains, want 1", len(document.Chains))
	}
	out, err := json.MarshalIndent(document.Chains[0], "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "chain.json", append(out, '\n'))
}

func TestJSONOfEveryStatus(t *testing.T) {
	var out bytes.Buffer
	if err := reporttest.EveryStatus().WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "every-status.json", out.Bytes())
	var document report.Document
	if err := json.Unmarshal(out.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(reporttest.EveryStatus().Document(), document); diff != "" {
		t.Errorf("reading the JSON back gives another document:\n%s", diff)
	}
}

func TestLastGoodFiguresStayVisibleMarkedAndThenGo(t *testing.T) {
	dep := reporttest.Dependency("a")
	r := reporttest.Cycle(nil, reporttest.Start, reporttest.Seen(dep, reporttest.Start, 36000, 0))
	for _, tc := range []struct {
		after time.Duration
		shown bool
	}{{time.Minute, true}, {5 * time.Minute, true}, {5*time.Minute + time.Second, false}, {time.Hour, false}} {
		at := reporttest.Start.Add(tc.after)
		r = reporttest.Cycle(r, at, reporttest.Unseen(dep, at, latency.StatusQueryFailed, "down"))
		figures := r.Figures(r.Dependencies[0], at)
		if (figures != nil) != tc.shown {
			t.Errorf("after %v: figures shown %t, want %t", tc.after, figures != nil, tc.shown)
		}
		document := r.Document().Dependencies[0]
		if document.Stale != tc.shown || document.Status != latency.StatusQueryFailed {
			t.Errorf("after %v: stale %t status %s", tc.after, document.Stale, document.Status)
		}
	}
	at := reporttest.Start.Add(2 * time.Hour)
	r = reporttest.Cycle(r, at, reporttest.Seen(dep, at, 36000, 0))
	if d := r.Dependencies[0]; d.LastGood != nil || r.Document().Dependencies[0].Stale {
		t.Error("a dependency that is observed again still shows old figures")
	}
}

func TestFiguresOfAnotherPolicyAreNotShown(t *testing.T) {
	dep := reporttest.Dependency("a")
	r := reporttest.Cycle(nil, reporttest.Start, reporttest.Seen(dep, reporttest.Start, 36000, 0))
	dep.Policy.Timeout = time.Second
	at := reporttest.Start.Add(time.Minute)
	r = reporttest.Cycle(r, at, reporttest.Unseen(dep, at, latency.StatusQueryFailed, "down"))
	if r.Dependencies[0].LastGood != nil {
		t.Error("figures for a timeout of 250ms are shown for one of 1s")
	}
}

func TestResultCountsFailedQueriesAndNotMissingData(t *testing.T) {
	at := reporttest.Start
	seen := reporttest.Seen(reporttest.Dependency("a"), at, 36000, 0)
	failed := reporttest.Unseen(reporttest.Dependency("b"), at, latency.StatusQueryFailed, "down")
	none := reporttest.Unseen(reporttest.Dependency("c"), at, latency.StatusNoData, "no series")
	for _, tc := range []struct {
		r     *report.Report
		want  report.Result
		known bool
	}{
		{reporttest.Cycle(nil, at, seen, none), report.Success, true},
		{reporttest.Cycle(nil, at, seen, failed), report.Partial, true},
		{reporttest.Cycle(nil, at, failed), report.Failure, false},
		{reporttest.Cycle(nil, at, none), report.Success, false},
	} {
		if got := tc.r.Result(); got != tc.want || tc.r.Known() != tc.known {
			t.Errorf("result %s known %t, want %s %t", got, tc.r.Known(), tc.want, tc.known)
		}
	}
}

func TestWorstIsTheWorstFindingsSeverity(t *testing.T) {
	at := reporttest.Start
	fine := reporttest.Seen(reporttest.Dependency("a"), at, 36000, 0)
	bad := reporttest.Seen(reporttest.Dependency("b"), at, 36000, 3600)
	if got := reporttest.Cycle(nil, at, fine, bad).Worst(); got != rules.Critical {
		t.Errorf("worst %s, want critical", got)
	}
	if got := reporttest.Cycle(nil, at, fine).Worst(); got.AtLeast(rules.Critical) {
		t.Errorf("worst %s without a critical finding", got)
	}
}
