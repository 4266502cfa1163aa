// Package engines_test asks the engines that people keep their data in the same
// questions, and wants the same answers: Prometheus, Thanos Query over a
// sidecar, and VictoriaMetrics. docs/engines.md has what differs.
package engines_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// engine is one kind of server.
type engine struct {
	name   string
	native bool // knows native histograms

	// start returns the URL of a server that knows the history.
	start func(*testing.T, *history) string
}

func engines() []engine {
	return []engine{
		{"Prometheus", true, func(t *testing.T, h *history) string { return startPrometheus(t, h, "a").URL }},
		{"Thanos", true, func(t *testing.T, h *history) string {
			return startThanos(t, startSidecar(t, startPrometheus(t, h, "a"))).URL
		}},
		{"VictoriaMetrics", false, startVictoriaMetrics},
	}
}

// startPrometheus starts a Prometheus on blocks of the history, in the way that
// a sidecar wants it. replica is its external label.
func startPrometheus(t *testing.T, h *history, replica string) *servers.Process {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "series.om")
	if err := os.WriteFile(file, append(h.exposition(time.Second), "# EOF\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := servers.Promtool(t.Context(), "tsdb", "create-blocks-from", "openmetrics", file, filepath.Join(dir, "data")); err != nil {
		t.Fatalf("backfilling: %v\n%s", err, out)
	}
	p, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{
		Dir:    dir,
		Config: "global: {external_labels: {cluster: mars, replica: " + replica + "}}\n",
		Flags:  []string{"--storage.tsdb.min-block-duration=2h", "--storage.tsdb.max-block-duration=2h"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

func startSidecar(t *testing.T, p *servers.Process) *servers.Store {
	t.Helper()
	sidecar, err := servers.StartThanosSidecar(t.Context(), servers.ThanosSidecarOptions{Prometheus: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sidecar.Stop)
	return sidecar
}

// startThanos starts a Thanos Query and waits until it has found its stores.
func startThanos(t *testing.T, sidecars ...*servers.Store) *servers.Process {
	t.Helper()
	o := servers.ThanosQueryOptions{Flags: []string{"--query.replica-label=replica"}}
	for _, sidecar := range sidecars {
		o.Endpoints = append(o.Endpoints, sidecar.Endpoint)
	}
	query, err := servers.StartThanosQuery(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(query.Stop)
	until(t, "Thanos Query finds its stores", func() bool { return stores(t, query) == len(sidecars) })
	return query
}

// stores counts those that a Thanos Query can reach.
func stores(t *testing.T, query *servers.Process) int {
	t.Helper()
	return strings.Count(request(t, http.MethodGet, query.URL+"/api/v1/stores", nil), `"lastError":null`)
}

func startVictoriaMetrics(t *testing.T, h *history) string {
	t.Helper()
	p, err := servers.StartVictoriaMetrics(t.Context(), servers.VictoriaMetricsOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	request(t, http.MethodPost, p.URL+"/api/v1/import/prometheus", h.exposition(time.Millisecond))
	request(t, http.MethodGet, p.URL+"/internal/force_flush", nil)
	return p.URL
}

// request sends a request and returns the reply, which must be no error.
func request(t *testing.T, method, url string, body []byte) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s %s: %s: %s", method, url, resp.Status, reply)
	}
	return string(reply)
}

// until waits for something that a server does in its own time.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for !done() {
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// client asks the server at url.
func client(t *testing.T, url string) *promquery.Client {
	t.Helper()
	prometheus := config.Prometheus{URL: url, QueryTimeout: 20 * time.Second, MaxConcurrentQueries: 4}
	c, err := promquery.New(promquery.Options{Prometheus: prometheus, UserAgent: "timeout-auditor-test"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
