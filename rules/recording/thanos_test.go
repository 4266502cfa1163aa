package recording_test

import (
	"math"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules/recording"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// A ruler of Thanos reads through a Query what it has recorded itself, with an
// external label that the rules do not know of.
func TestThanosRuleRecordsWhatPrometheusDoes(t *testing.T) {
	history := histories(time.Now().Truncate(time.Second))
	cfg := &config.Config{Dependencies: measuredDependencies()}
	want := evaluateOn(t, cfg, history.blocks(t))
	got := evaluateByThanos(t, cfg, history.blocks(t))
	for _, desc := range recording.Table() {
		total := "sum by (dependency) (" + desc.Name + ")"
		recorded, found := want.values(t, total), got.values(t, total)
		if len(found) != len(recorded) {
			t.Errorf("%s: %d dependencies, want %d: %v, %v", desc.Name, len(found), len(recorded), found, recorded)
		}
		for name, value := range recorded {
			near := 1e-3
			if desc.Name == recording.Samples || name == "thin_seconds" {
				near = 0.05 // the series end when they were written, and the ruler looks later: at a call less
			}
			if v, ok := found[name]; !ok || math.Abs(v-value) > near*math.Abs(value) {
				t.Errorf("%s of %s: %v, want %v", desc.Name, name, v, value)
			}
		}
	}
}

// evaluateByThanos has a ruler evaluate the rules over a sidecar on the blocks
// in dir.
func evaluateByThanos(t *testing.T, cfg *config.Config, dir string) server {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p, err := servers.StartPrometheus(ctx, servers.PrometheusOptions{
		Dir:    dir,
		Config: "global: {external_labels: {cluster: mars}}\n",
		Flags:  []string{"--storage.tsdb.min-block-duration=2h", "--storage.tsdb.max-block-duration=2h"},
	})
	must(err)
	t.Cleanup(p.Stop)
	sidecar, err := servers.StartThanosSidecar(ctx, servers.ThanosSidecarOptions{Prometheus: p})
	must(err)
	t.Cleanup(sidecar.Stop)
	address, err := servers.FreeAddress(ctx)
	must(err)
	query, err := servers.StartThanosQuery(ctx, servers.ThanosQueryOptions{Endpoints: []string{sidecar.Endpoint, address}})
	must(err)
	t.Cleanup(query.Stop)
	rule, err := servers.StartThanosRule(ctx, servers.ThanosRuleOptions{
		Dir: t.TempDir(), Endpoint: address, Query: query.URL,
		Flags: []string{"--eval-interval=1s", "--rule-file=" + ruleFile(t, cfg, t.TempDir())},
	})
	must(err)
	t.Cleanup(rule.Stop)
	server{rule.URL}.waitForEveryGroup(t)
	return server{query.URL}
}
