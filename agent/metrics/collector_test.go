package metrics_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"

	"github.com/timeout-auditor/timeout-auditor/agent/metrics"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

var update = flag.Bool("update", false, "write the golden file anew")

// exposition is what a registry with only the collector serves.
func exposition(t *testing.T, r *report.Report, now time.Time) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(metrics.NewCollector(func() *report.Report { return r }, func() time.Time { return now }))
	problems, err := testutil.GatherAndLint(registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("lint: %s: %s", p.Metric, p.Text)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&out, family); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestExpositionOfEveryStatus(t *testing.T) {
	golden(t, "testdata/every-status.prom", reporttest.EveryStatus())
}

func TestExpositionOfAChain(t *testing.T) {
	golden(t, "testdata/chain.prom", reporttest.OverBudget())
}

func golden(t *testing.T, file string, r *report.Report) {
	t.Helper()
	got := exposition(t, r, r.At)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("exposition differs (-want +got), -update writes it anew:\n%s", diff)
	}
}

func TestNothingIsExportedBeforeTheFirstReport(t *testing.T) {
	if got := exposition(t, nil, reporttest.Start); got != "" {
		t.Errorf("exported %q", got)
	}
}

func TestOldFiguresAreWithheldAndHeldFindingsAreNot(t *testing.T) {
	dep := reporttest.Dependency("a")
	r := reporttest.Cycle(nil, reporttest.Start, reporttest.Seen(dep, reporttest.Start, 36000, 3600))
	const (
		finding = `timeout_auditor_finding{callee="payments",caller="checkout",chain="",dependency="a",owner="team-pay",rule="timeout-below-p99",severity="critical"} 1`
		figure  = `timeout_auditor_predicted_false_timeout_ratio{`
		failed  = `status="query-failed"} 1`
		unknown = `rule="verdict-unknown"`
	)
	for _, tc := range []struct {
		after                            time.Duration
		finding, figure, failed, unknown bool
	}{
		{after: 4 * time.Minute, finding: true, figure: true, failed: true},
		{after: 6 * time.Minute, finding: true, failed: true},
		{after: 61 * time.Minute, failed: true, unknown: true},
	} {
		at := reporttest.Start.Add(tc.after)
		r = reporttest.Cycle(r, at, reporttest.Unseen(dep, at, latency.StatusQueryFailed, "down"))
		got := exposition(t, r, at)
		for what, want := range map[string]bool{finding: tc.finding, figure: tc.figure, failed: tc.failed, unknown: tc.unknown} {
			if strings.Contains(got, what) != want {
				t.Errorf("after %v: %s exported %t, want %t", tc.after, what, !want, want)
			}
		}
	}
}

func TestAReportThatStopsBeingRenewedLosesItsFigures(t *testing.T) {
	r := reporttest.Cycle(nil, reporttest.Start, reporttest.Seen(reporttest.Dependency("a"), reporttest.Start, 36000, 0))
	if got := exposition(t, r, reporttest.Start.Add(6*time.Minute)); strings.Contains(got, "false_timeout_ratio{") || strings.Contains(got, "dependency_status") {
		t.Errorf("figures and status of a report six minutes old are exported as current:\n%s", got)
	}
}

func TestRemovedDependenciesVanish(t *testing.T) {
	at := reporttest.Start
	a, b := reporttest.Dependency("a"), reporttest.Dependency("b")
	r := reporttest.Cycle(nil, at, reporttest.Seen(a, at, 36000, 0), reporttest.Seen(b, at, 36000, 0))
	at = at.Add(time.Minute)
	r = reporttest.Cycle(r, at, reporttest.Seen(a, at, 36000, 0))
	if got := exposition(t, r, at); strings.Contains(got, `dependency="b"`) || !strings.Contains(got, `dependency="a"`) {
		t.Errorf("want a alone:\n%s", got)
	}
}
