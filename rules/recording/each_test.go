package recording_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/rules/recording"
)

const meshConfig = `
prometheus: {url: "http://localhost:9090"}
defaults:
  latency: {histogram: mesh_seconds, kind: classic}
dependencies:
  - name: "{{caller}} to {{callee}} ($1)"
    for_each: [caller, callee]
    caller: "{{caller}}"
    callee: "{{callee}}"
    owner: team-mesh
    policy: {timeout: 2s, retries: 2}
    error_ratio: 0.004
    overrides:
      - match: {callee: "search.*", caller: web}
        policy: {timeout: 300ms, retries: 0}
        owner: team-search
      - match: {callee: "search.*"}
        policy: {timeout: 900ms}
        error_ratio: 'sum(rate(errors_total{callee="$callee"}[$window])) / sum(rate(calls_total{callee="$callee"}[$window]))'
`

// mesh is a histogram of five kinds of calls, one of which has none.
func mesh(now time.Time) *past {
	b := &past{now: now}
	for _, m := range []struct {
		caller, callee string
		median, calls  float64
	}{
		{"web", "payments", 0.18, 500}, {"web", "search-a", 0.1, 500}, {"shop", "search-a", 0.4, 500},
		{"shop", "pay\"ments\\", 1.2, 500}, {"idle", "payments", 1, 0},
	} {
		for _, bound := range []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, math.Inf(1)} {
			series := fmt.Sprintf("mesh_seconds_bucket{caller=%q,callee=%q,le=%q}", m.caller, m.callee, fmt.Sprint(bound))
			b.add(series, func(i int) float64 { return math.Round(m.calls * float64(i) * lognormal(m.median, 0.8)(bound)) })
		}
	}
	return b
}

func meshFile(t *testing.T) *config.Config {
	t.Helper()
	cfg, err := config.Parse("mesh.yaml", []byte(meshConfig), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestOneEntryIsRecordedForEachDependencyItFinds(t *testing.T) {
	cfg := meshFile(t)
	s := evaluateOn(t, cfg, mesh(time.Now().Truncate(time.Second)).blocks(t))
	client, err := promquery.New(promquery.Options{Prometheus: config.Prometheus{URL: s.url, QueryTimeout: time.Minute, MaxConcurrentQueries: 4}})
	if err != nil {
		t.Fatal(err)
	}
	var found []map[string]string
	for _, r := range s.query(t, "group by (caller, callee) (mesh_seconds_bucket)") {
		found = append(found, r.Metric)
	}
	deps := config.Expand(nil, []config.Found{{Template: cfg.Templates[0], Series: found}})
	if len(deps) != 5 {
		t.Fatalf("%d dependencies, want 5", len(deps))
	}
	p, a := s.values(t, recording.FalseTimeoutRatio), s.values(t, recording.Amplification)
	timeouts, owners := s.values(t, recording.EffectiveTimeout), map[string]string{}
	for _, r := range s.query(t, recording.Samples) {
		owners[r.Metric["dependency"]] = r.Metric["owner"] + " " + r.Metric["caller"] + " " + r.Metric["callee"]
	}
	for i, r := range client.Observe(t.Context(), deps, time.Now()) {
		dep := deps[i]
		if want := dep.Owner + " " + dep.Caller + " " + dep.Callee; owners[dep.Name] != want {
			t.Errorf("%s: labels %q, want %q", dep.Name, owners[dep.Name], want)
		}
		if got := timeouts[dep.Name]; got != dep.Policy.Timeout.Seconds() {
			t.Errorf("%s: timeout %v, want %v", dep.Name, got, dep.Policy.Timeout)
		}
		want := audit.Assess(audit.Input{Dependency: &dep, Observation: r.Observation}).LognormalRatio
		if got, ok := p[dep.Name]; ok != (want != nil) || ok && math.Abs(got / *want - 1) > 1e-3 {
			t.Errorf("%s: p = %v, %v, want %v", dep.Name, got, ok, want)
		}
	}
	if len(p) != 4 || len(a) != 3 {
		t.Errorf("p of %d and amplification of %d dependencies, want 4 and 3: %v, %v", len(p), len(a), p, a)
	}
	got := map[string]string{}
	for _, r := range s.query(t, recording.Unknown+" == 1") {
		got[r.Metric["dependency"]] = r.Metric["reason"]
	}
	want := map[string]string{"idle to payments ($1)": "no-data", "shop to search-a ($1)": "no-error-ratio"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unknown, -want +got:\n%s", diff)
	}
}

func TestEntryThatRulesCannotReadIsSaidToBeLeftOut(t *testing.T) {
	for name, entry := range map[string]string{
		"a selector that depends on its labels": `{name: "{{caller}}", for_each: [caller], latency: {histogram: x_seconds, selector: '{job="$caller"}'}}`,
		"a label with another text":             `{name: "{{caller}}", for_each: [caller], caller: "the {{caller}}", latency: {histogram: x_seconds}}`,
	} {
		t.Run(name, func(t *testing.T) {
			text := "prometheus: {url: \"http://localhost:9090\"}\ndependencies:\n  - " + entry + "\n"
			cfg, err := config.Parse("mesh.yaml", []byte(text), config.Options{})
			if err != nil {
				t.Fatal(err)
			}
			left := recording.Uncovered(cfg)
			if len(left) != 1 || !strings.HasPrefix(left[0], `"{{caller}}" (line 3) is left out: its `) {
				t.Errorf("left out: %q", left)
			}
			var out strings.Builder
			if err := recording.Generate(&out, cfg, recording.Options{}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), "\n# "+left[0]+"\n") || strings.Contains(out.String(), "record:") {
				t.Errorf("the file does not say so, or records it:\n%s", out.String())
			}
		})
	}
}
