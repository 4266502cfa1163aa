package servers_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

func TestVictoriaMetricsAnswersQueriesUntilItIsStopped(t *testing.T) {
	p, err := servers.StartVictoriaMetrics(t.Context(), servers.VictoriaMetricsOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	if body := get(t, p.URL+"/api/v1/query?query=vector(42)"); !strings.Contains(body, `"42"`) {
		t.Errorf("vector(42) answered %s", body)
	}
	if _, err := servers.StartVictoriaMetrics(t.Context(), servers.VictoriaMetricsOptions{}); err == nil {
		t.Error("started without a directory")
	}
}

func TestThanosQueryReadsAPrometheusThroughItsSidecar(t *testing.T) {
	p, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{
		Dir:    t.TempDir(),
		Config: "global: {external_labels: {planet: mars}, evaluation_interval: 200ms}\n" + "rule_files: []\n",
		Flags:  []string{"--storage.tsdb.min-block-duration=2h", "--storage.tsdb.max-block-duration=2h"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	sidecar, err := servers.StartThanosSidecar(t.Context(), servers.ThanosSidecarOptions{Prometheus: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sidecar.Stop)
	query, err := servers.StartThanosQuery(t.Context(), servers.ThanosQueryOptions{Endpoints: []string{sidecar.Endpoint}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(query.Stop)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for !strings.Contains(get(t, query.URL+"/api/v1/stores"), "mars") {
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("the store does not show up:\n%s", query.Log())
		}
	}
}
