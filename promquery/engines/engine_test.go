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

	"github.com/prometheus/common/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"

	auditor "github.com/timeout-auditor/timeout-auditor/config"
)

// engine is one kind of server.
type engine struct {
	name string

	// start returns the URL of a server that knows the history.
	start func(*testing.T, *history) string

	// counts is how far counts may be from what was counted, as a share: an
	// increase() that extrapolates gets a little more or less.
	counts float64
}

func engines() []engine {
	return []engine{
		{name: "Prometheus", start: func(t *testing.T, h *history) string { return startPrometheus(t, h, "a").URL }, counts: 0.005},
		{name: "Thanos", start: func(t *testing.T, h *history) string {
			return startThanos(t, startSidecar(t, startPrometheus(t, h, "a"))).URL
		}, counts: 0.005},
		{name: "VictoriaMetrics", start: startVictoriaMetrics, counts: 0.005},
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
func startThanos(t *testing.T, stores ...*servers.Store) *servers.Process {
	t.Helper()
	o := servers.ThanosQueryOptions{Flags: []string{"--query.replica-label=replica"}}
	for _, store := range stores {
		o.Endpoints = append(o.Endpoints, store.Endpoint)
	}
	query, err := servers.StartThanosQuery(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(query.Stop)
	until(t, "Thanos Query finds its stores", func() bool {
		text := request(t, http.MethodGet, query.URL+"/api/v1/stores", nil)
		return strings.Count(text, `"lastError":null`) == len(stores)
	})
	return query
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
func client(t *testing.T, url string, headers map[string]string) *promquery.Client {
	t.Helper()
	prometheus := auditor.Prometheus{URL: url, QueryTimeout: 20 * time.Second, MaxConcurrentQueries: 4, HTTPClient: config.DefaultHTTPClientConfig}
	if len(headers) > 0 {
		set := &config.Headers{Headers: map[string]config.Header{}}
		for name, value := range headers {
			set.Headers[name] = config.Header{Values: []string{value}}
		}
		prometheus.HTTPClient.HTTPHeaders = set
	}
	c, err := promquery.New(promquery.Options{Prometheus: prometheus, UserAgent: "timeout-auditor-test"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
