package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// TestBacktestOnARealPrometheus writes 30 hours of a known lognormal, one of
// them four times slower, as blocks, and wants the hour found and the shares
// that follow from the distribution.
func TestBacktestOnARealPrometheus(t *testing.T) {
	const calls, slowHour = 500.0, 20 // per scrape; the 20th hour back
	end := time.Date(2024, time.May, 2, 6, 0, 0, 0, time.UTC)
	median := func(at time.Time) float64 {
		if back := end.Sub(at); back >= slowHour*time.Hour || back < (slowHour-1)*time.Hour {
			return 0.1
		}
		return 0.4
	}
	url := backfilled(t, end, calls, median)
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, []byte(fmt.Sprintf(`
prometheus: {url: %s}
dependencies:
  - name: search
    latency: {histogram: search_seconds, timeouts: uncensored}
    policy: {timeout: 1s, deadline: 2s}
`, url)), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"backtest", "--config.file=" + config, "--since=28h", "--time=" + end.Format(time.RFC3339), "--timeout=2.5s", "--output=json"},
		strings.NewReader(""), &stdout, &stderr)
	if code != exitFindings || stderr.Len() > 0 {
		t.Fatalf("exit code %d, stderr %s", code, &stderr)
	}
	var document report.BacktestsDocument
	if err := json.Unmarshal(stdout.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	b := document.Dependencies[0]
	want := end.Add(-(slowHour - 1) * time.Hour)
	if b.History.Worst == nil || !b.History.Worst.Until.Equal(want) || b.Declared.StepsAbove != 1 || b.Declared.StepsBelow != 27 {
		t.Errorf("worst %+v, declared %+v; want the hour up to %v alone above 1%%", b.History.Worst, b.Declared, want)
	}
	for _, c := range []struct {
		got     *report.PastShareDocument
		timeout float64
	}{{b.Declared.Cut, 1}, {b.Others[0].Cut, 2.5}} {
		truth := (27*beyond(c.timeout, 0.1) + beyond(c.timeout, 0.4)) / 28
		if c.got.Ratio == nil || math.Abs(*c.got.Ratio-truth) > 0.03*truth || c.got.Lower > truth || c.got.Upper < truth {
			t.Errorf("the share beyond %vs is %+v, want %v", c.timeout, c.got, truth)
		}
	}
}

// beyond is the share of a lognormal of sigma 0.8 above t.
func beyond(t, median float64) float64 {
	return 0.5 * math.Erfc(math.Log(t/median)/(0.8*math.Sqrt2))
}

// backfilled starts a Prometheus with a histogram of so many calls a minute,
// whose median is what it was at the moment.
func backfilled(t *testing.T, end time.Time, calls float64, median func(at time.Time) float64) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("# TYPE search_seconds histogram\n")
	for _, le := range []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, math.Inf(1)} {
		count := 0.0
		for at := end.Add(-30 * time.Hour); !at.After(end); at = at.Add(time.Minute) {
			count += calls * (1 - beyond(le, median(at)))
			fmt.Fprintf(&text, "search_seconds_bucket{le=\"%v\"} %v %d\n", le, math.Round(count), at.Unix())
		}
	}
	text.WriteString("# EOF\n")
	dir := t.TempDir()
	file := filepath.Join(dir, "series.om")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := servers.Promtool(t.Context(), "tsdb", "create-blocks-from", "openmetrics", file, filepath.Join(dir, "data")); err != nil {
		t.Fatalf("backfilling: %v\n%s", err, out)
	}
	p, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p.URL
}
