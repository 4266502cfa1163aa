package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// noTemplates finds nothing, for observers that are never asked to.
type noTemplates struct{}

func (noTemplates) Discover(context.Context, []config.Template, time.Time) []promquery.Discovery {
	return nil
}

// mesh has calls from web to some callees. Those named slow are cut off often;
// those named quiet have no data.
type mesh struct {
	callees []string
	err     error
}

func (m mesh) Discover(_ context.Context, templates []config.Template, _ time.Time) []promquery.Discovery {
	found := make([]promquery.Discovery, len(templates))
	for i := range found {
		found[i].Err = m.err
		for _, callee := range m.callees {
			found[i].Series = append(found[i].Series, map[string]string{"caller": "web", "callee": callee})
		}
	}
	return found
}

func (m mesh) ObserveEach(ctx context.Context, deps []config.Dependency, at time.Time, each func(i int, r promquery.Result)) {
	for i, r := range m.Observe(ctx, deps, at) {
		each(i, r)
	}
}

func (m mesh) Observe(ctx context.Context, deps []config.Dependency, at time.Time) []promquery.Result {
	results := slowCallee{}.Observe(ctx, deps, at)
	for i, dep := range deps {
		if !slices.Contains(m.callees, dep.Series["callee"]) || strings.HasPrefix(dep.Series["callee"], "quiet") {
			results[i] = promquery.Result{Err: &promquery.Error{Kind: promquery.KindNoData, Message: "no series"}}
		}
	}
	return results
}

func meshConfig(t *testing.T, most int) *config.Config {
	t.Helper()
	c, err := config.Parse("mesh.yaml", fmt.Appendf(nil, `
prometheus: {url: http://localhost:9090}
dependencies:
  - name: "{{caller}}-{{callee}}"
    callee: "{{callee}}"
    for_each: [caller, callee]
    max_dependencies: %d
    latency: {histogram: h_seconds, timeouts: uncensored}
    policy: {timeout: 6s, deadline: 9s}
    overrides: [{match: {callee: "slow.*"}, policy: {timeout: 300ms}}]
chains:
  - {name: page, deadline: 9s, hops: [web-fast, web-slow]}
`, most), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// names lists a report's dependencies with their status.
func names(r *report.Report) []string {
	var all []string
	for _, d := range r.Dependencies {
		all = append(all, fmt.Sprintf("%s %s", d.Dependency.Name, d.Status))
	}
	return all
}

func TestDependenciesComeAndGoWithTheirSeries(t *testing.T) {
	c := meshConfig(t, 9)
	now := time.Now()
	cycle := func(after time.Duration, m mesh, previous *report.Report) *report.Report {
		return agent.Cycle(t.Context(), c, m, agent.Moment{At: now.Add(after), Previous: previous})
	}
	check := func(what string, r *report.Report, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, names(r)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", what, diff)
		}
	}
	failing := &promquery.Error{Kind: promquery.KindUnreachable, Message: "connection refused"}

	first := cycle(0, mesh{callees: []string{"slow", "fast"}}, nil)
	check("at first", first, "web-fast ok", "web-slow ok")
	if first.Dependencies[0].Dependency.Policy.Timeout != 6*time.Second || first.Dependencies[1].Dependency.Policy.Timeout != 300*time.Millisecond {
		t.Error("overrides do not count")
	}
	if len(first.Chains) != 1 || len(first.Chains[0].Unknown) != 0 {
		t.Errorf("chain %+v, want both hops known", first.Chains)
	}
	check("one appears", cycle(time.Minute, mesh{callees: []string{"slow", "fast", "new"}}, first), "web-fast ok", "web-new ok", "web-slow ok")
	gone := cycle(time.Minute, mesh{callees: []string{"new"}}, first)
	check("those with a finding are held", gone, "web-fast no-data", "web-new ok", "web-slow no-data")
	if len(gone.Dependencies[2].Findings) == 0 {
		t.Error("what stood about web-slow is gone with its series")
	}
	check("for hold_for", cycle(2*time.Hour, mesh{callees: []string{"new"}}, gone), "web-new ok")

	lost := cycle(time.Minute, mesh{err: failing}, first)
	check("a search that fails keeps what was found", lost, "web-fast no-data", "web-slow no-data", "{{caller}}-{{callee}} query-failed")
	check("for as long as it fails", cycle(3*time.Hour, mesh{err: failing}, lost), "web-fast no-data", "web-slow no-data", "{{caller}}-{{callee}} query-failed")
	none := &promquery.Error{Kind: promquery.KindNoData, Message: "no series"}
	nothing := cycle(0, mesh{err: none}, nil)
	check("nothing found is no success", nothing, "{{caller}}-{{callee}} no-data")
	if nothing.Known() {
		t.Error("an entry without dependencies looks known")
	}
	later := cycle(2*time.Hour, mesh{err: none}, nothing)
	if len(later.Findings) != 1 || later.Findings[0].Rule != "verdict-unknown" {
		t.Errorf("findings after two hours of nothing: %+v", later.Findings)
	}
}

func TestMoreDependenciesThanLetInIsAFinding(t *testing.T) {
	r := agent.Cycle(t.Context(), meshConfig(t, 2), mesh{callees: []string{"c", "b", "a", "d"}}, agent.Moment{At: time.Now()})
	if diff := cmp.Diff([]string{"web-a ok", "web-b ok", "{{caller}}-{{callee}} uncertain"}, names(r)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	entry := r.Dependencies[2]
	if len(entry.Findings) != 1 || entry.Findings[0].Rule != "dependency-limit-reached" || !strings.Contains(entry.Findings[0].Message, "4 dependencies were found and 2 are audited") {
		t.Errorf("findings %+v", entry.Findings)
	}
	if entry.Status == latency.StatusOK {
		t.Error("an entry that leaves some out looks fine")
	}
}

func TestExpandedSaysWhatWasNotFound(t *testing.T) {
	c, err := agent.Expanded(t.Context(), meshConfig(t, 9), mesh{callees: []string{"a"}}, time.Now())
	if err != nil || len(c.Dependencies) != 1 || c.Dependencies[0].Name != "web-a" || len(c.Templates) != 0 {
		t.Errorf("%+v, %v", c.Dependencies, err)
	}
	_, err = agent.Expanded(t.Context(), meshConfig(t, 9), mesh{err: errors.New("connection refused")}, time.Now())
	if err == nil || !strings.Contains(err.Error(), "{{caller}}-{{callee}}: query-failed: connection refused") {
		t.Errorf("error %v", err)
	}
}
