package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// caseEnd is the moment that the cases in a real Prometheus are audited at.
const caseEnd = 1767225600

// recorded is the past of a Prometheus: for each series a value per 15 s over
// three hours, by the number of seconds since the past began.
type recorded struct{ text strings.Builder }

func (r *recorded) series(name string, value func(second float64) float64) {
	const past, step = 3 * 3600, 15
	for s := 0; s <= past; s += step {
		fmt.Fprintf(&r.text, "%s %g %d\n", name, value(float64(s)), caseEnd-past+s)
	}
}

// start gives the past to a real Prometheus and returns its URL.
func (r *recorded) start(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "series.om")
	if err := os.WriteFile(file, []byte(r.text.String()+"# EOF\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := servers.Promtool(t.Context(), "tsdb", "create-blocks-from", "openmetrics", file, filepath.Join(dir, "data"))
	if err != nil {
		t.Fatalf("backfilling: %v\n%s", err, out)
	}
	p, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p.URL
}

// auditedCase audits one dependency of a configuration.
func auditedCase(t *testing.T, url, dependency string) outcome {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	config := fmt.Sprintf("prometheus: {url: %q}\ndependencies:\n%s", url, dependency)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return judged(t, "", "audit", "--config.file="+file, "--time="+strconv.Itoa(caseEnd))
}

// TestCasesInARealPrometheus starts one Prometheus for the cases that come from
// series over time.
func TestCasesInARealPrometheus(t *testing.T) {
	past := &recorded{}
	recordMesh(past)
	recordMergedReplicas(past)
	url := past.start(t)
	t.Run("calls that vanish", func(t *testing.T) { caseCallsThatVanish(t, url) })
	t.Run("replicas merged by max", func(t *testing.T) { caseMergedReplicas(t, url) })
}

// recordMesh records 5264.6 calls a second sent and 3350.9 answered, 99% of
// these within 197 ms.
func recordMesh(past *recorded) {
	const sent, answered = 5264.6, 3350.9
	for _, bucket := range []struct {
		le    string
		share float64
	}{{"0.05", 0.6}, {"0.1", 0.9}, {"0.197", 0.99}, {"0.5", 0.9999}, {"1", 1}, {"+Inf", 1}} {
		past.series(`mesh_seconds_bucket{le="`+bucket.le+`"}`, func(s float64) float64 { return math.Round(answered * bucket.share * s) })
	}
	past.series("mesh_requests_total", func(s float64) float64 { return math.Round(sent * s) })
}

// A mesh sees 63.65% of its calls succeed and a p99 of 197 ms. The percentile
// says nothing about the calls that vanished without a sample.
func caseCallsThatVanish(t *testing.T, url string) {
	o := auditedCase(t, url, `  - name: mesh
    latency: {histogram: mesh_seconds}
    policy: {timeout: 1s, deadline: 2s}
    observed: {attempts: 'sum(rate(mesh_requests_total[$window]))'}
`)
	wantNear(t, "p99", *o.Figures.P99Seconds, 0.197, 0.001)
	i := slices.IndexFunc(o.Figures.Measured, func(c report.ComparisonDocument) bool { return c.What == "attempts without a latency sample" })
	if i < 0 {
		t.Fatalf("compared is only %+v", o.Figures.Measured)
	}
	vanished := o.Figures.Measured[i]
	wantNear(t, "share without a sample", vanished.Measured.Ratio, 0.3635, 0.0005)
	if !vanished.Differs || vanished.Predicted.Ratio > 0.01 {
		t.Errorf("measured beside predicted is %+v", vanished)
	}
	if o.finding("measured-differs") == nil {
		t.Errorf("status %s, findings %+v: want measured-differs", o.Status, o.Findings)
	}
}

// recordMergedReplicas records what is left when a recording rule takes the max
// over replicas of one histogram: a fall between buckets, of one request in four
// minutes. Beside it stands as much traffic, merged without a fall, whose only
// slow bucket is that of 5 to 12.1 s.
func recordMergedReplicas(past *recorded) {
	requests := func(s float64) float64 { return math.Floor(s / 240) }
	for le, f := range map[string]float64{"0.01": 1, "0.05": 1, "5": 0.5, "12.1": 1, "+Inf": 1} {
		past.series(`merged_seconds_bucket{le="`+le+`"}`, func(s float64) float64 { return math.Floor(f * requests(s)) })
	}
	for le, f := range map[string]float64{"0.05": 0.5, "5": 0.5, "12.1": 1, "+Inf": 1} {
		past.series(`few_seconds_bucket{le="`+le+`"}`, func(s float64) float64 { return math.Floor(f * requests(s)) })
	}
}

// The reported p99 is 12 s, and the slowest real call took 26 ms.
func caseMergedReplicas(t *testing.T, url string) {
	for metric, want := range map[string]struct {
		window string
		status latency.Status
	}{
		"merged_seconds": {"1h", latency.StatusNoData},
		"few_seconds":    {"5m", latency.StatusThinData},
	} {
		o := auditedCase(t, url, fmt.Sprintf(`  - name: merged
    latency: {histogram: %s}
    policy: {timeout: 1s, deadline: 2s}
    window: %s
`, metric, want.window))
		o.wantNoVerdict(t)
		if o.Status != want.status {
			t.Errorf("%s: status %s, want %s: %s", metric, o.Status, want.status, o.Detail)
		}
		if want.status == latency.StatusNoData {
			o.wantReasons(t, latency.ReasonNonMonotonic)
		}
	}
}
