package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/report"
)

// recordExposition has every counter of an exposition grow by its value each 15 s.
func recordExposition(t *testing.T, past *recorded, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const scrape = 15
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		past.series(line[:at], func(second float64) float64 { return value * second / scrape })
	}
}

// Every preset reads what its source exports: each exposition has 2,000 calls
// of median 180 ms per scrape, and 20 timeouts where timeouts are counted. The
// p99 is that of the lognormal as far as the buckets can tell.
func TestPresetsReadWhatTheirSourcesExport(t *testing.T) {
	past := &recorded{}
	files, err := filepath.Glob("testdata/presets/*.prom")
	if err != nil || len(files) == 0 {
		t.Fatal("no expositions", err)
	}
	var entries []string
	for _, file := range files {
		recordExposition(t, past, file)
		name := strings.TrimSuffix(filepath.Base(file), ".prom")
		histogram := ""
		if name == "promhttp" {
			histogram = "histogram: payments_request_duration_seconds, "
		}
		entries = append(entries, fmt.Sprintf("  - {name: %s, latency: {%spreset: %s}, policy: {timeout: 2s, deadline: 3s, connect_timeout: 2s}}\n", name, histogram, name))
	}
	config := filepath.Join(t.TempDir(), "config.yaml")
	text := fmt.Sprintf("prometheus: {url: %q}\ndependencies:\n%s", past.start(t), strings.Join(entries, ""))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	run(t.Context(), []string{"audit", "--config.file=" + config, "--output=json", "--time=" + strconv.Itoa(caseEnd)}, nil, &stdout, &stderr)
	var document report.Document
	if err := json.Unmarshal(stdout.Bytes(), &document); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if len(document.Dependencies) != len(files) {
		t.Fatalf("%d of %d presets in the report", len(document.Dependencies), len(files))
	}
	for _, d := range document.Dependencies {
		checkPreset(t, d)
	}
}

func checkPreset(t *testing.T, d report.DependencyDocument) {
	t.Helper()
	f := d.Figures
	if f == nil || f.P50Seconds == nil || f.P99Seconds == nil {
		t.Errorf("%s: no figures: %s %s", d.Dependency, d.Status, d.Detail)
		return
	}
	const median, p99 = 0.18, 1.157
	coarse := 1.4
	if d.Dependency == "linkerd-route" || d.Dependency == "traefik" {
		coarse = 8 // four buckets
	}
	for name, figure := range map[string][2]float64{"p50": {*f.P50Seconds, median}, "p99": {*f.P99Seconds, p99}} {
		if ratio := figure[0] / figure[1]; math.Abs(math.Log(ratio)) > math.Log(coarse) {
			t.Errorf("%s: %s is %v s, want about %v", d.Dependency, name, figure[0], figure[1])
		}
	}
	calls := []string{"envoy", "istio", "linkerd-route", "traefik", "ingress-nginx", "kong", "grpc-otel-call", "resilience4j"}
	limit := 2.0
	if slices.Contains(calls, d.Dependency) {
		limit = 3 // the deadline
	}
	if f.LimitSeconds == nil || *f.LimitSeconds != limit {
		t.Errorf("%s is judged against %v s, want %v", d.Dependency, f.LimitSeconds, limit)
	}
	counted := []string{"envoy", "istio", "ingress-nginx", "grpc-otel-attempt", "grpc-otel-call", "grpc-go-middleware", "resilience4j"}
	switch has := slices.Contains(counted, d.Dependency); {
	case has && f.ObservedRatio == nil:
		t.Errorf("%s: its timeouts are not counted: %v", d.Dependency, d.Notes)
	case has && math.Abs(*f.ObservedRatio-0.01) > 0.0005:
		t.Errorf("%s: %v of the attempts timed out as counted, want 1%%", d.Dependency, *f.ObservedRatio)
	case !has && f.ObservedRatio != nil:
		t.Errorf("%s counts timeouts that its source does not", d.Dependency)
	}
	for _, q := range d.Queries {
		if strings.Contains(q.PromQL, "$") {
			t.Errorf("%s asks %s", d.Dependency, q.PromQL)
		}
	}
}
