package agent_test

import (
	"context"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// namedObserver knows nothing, and says which histogram it was asked for.
type namedObserver struct{ noTemplates }

func (o namedObserver) ObserveEach(ctx context.Context, deps []config.Dependency, at time.Time, each func(i int, r promquery.Result)) {
	for i, r := range o.Observe(ctx, deps, at) {
		each(i, r)
	}
}

func (namedObserver) Observe(_ context.Context, deps []config.Dependency, _ time.Time) []promquery.Result {
	results := make([]promquery.Result, len(deps))
	for i, dep := range deps {
		results[i].Err = &promquery.Error{Kind: promquery.KindNoData, Message: "no series of " + dep.Latency.Histogram}
	}
	return results
}

func TestConnectHistogramsAreAskedForBesideTheirDependencies(t *testing.T) {
	c := everyMinute(t, "a", "b", "c")
	for i := range c.Dependencies {
		c.Dependencies[i].Latency.Histogram = "request_" + c.Dependencies[i].Name
	}
	c.Dependencies[1].Connect = &config.Latency{Histogram: "connect_b", Scope: "attempt"}
	c.Dependencies[1].Policy.ConnectTimeout = 250 * time.Millisecond
	r := agent.Cycle(t.Context(), c, namedObserver{}, agent.Moment{At: time.Now()})
	if len(r.Dependencies) != 3 {
		t.Fatalf("%d dependencies in the report, want 3", len(r.Dependencies))
	}
	for i, d := range r.Dependencies {
		if want := "no series of request_" + c.Dependencies[i].Name; d.Detail != want {
			t.Errorf("dependency %d: %q, want %q", i, d.Detail, want)
		}
	}
	connect := r.Dependencies[1].Connect
	if connect == nil || connect.Detail != "no series of connect_b" || connect.Limit != 0.25 {
		t.Errorf("connecting to b: %+v", connect)
	}
	if r.Dependencies[0].Connect != nil || r.Dependencies[2].Connect != nil {
		t.Error("connecting is assessed where nothing measures it")
	}
}

func TestChainsAreAssessedFromTheirDependencies(t *testing.T) {
	c := everyMinute(t, "a", "b")
	c.Chains = []config.Chain{{Name: "page", Deadline: time.Second, Hops: []config.Hop{{Dependency: "a"}, {Dependency: "b"}}}}
	r := agent.Cycle(t.Context(), c, namedObserver{}, agent.Moment{At: time.Now()})
	if len(r.Chains) != 1 || len(r.Chains[0].Unknown) != 2 {
		t.Errorf("chains %+v, want one with two unknown hops", r.Chains)
	}
}
