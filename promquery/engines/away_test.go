package engines_test

import (
	"errors"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// small is a history with one histogram, for tests about servers.
func small() *history {
	h := &history{}
	h.histogram(histogram{name: "steady_seconds", labels: `pod="a"`, bounds: []float64{0.1, 0.5, 1, 2.5}, calls: 5000, cdf: lognormal(0.18, 0.8)})
	return h
}

func observe(t *testing.T, c *promquery.Client) promquery.Result {
	t.Helper()
	return c.Observe(t.Context(), []config.Dependency{dependency("steady_seconds")}, evening)[0]
}

// failed wants a query that was not answered: whoever cannot ask all stores
// knows nothing, which is neither fine nor a dependency without data.
func failed(t *testing.T, when string, r promquery.Result) {
	t.Helper()
	var e *promquery.Error
	if !errors.As(r.Err, &e) || e.Status() != latency.StatusQueryFailed {
		t.Errorf("%s: %v, want a query that failed", when, r.Err)
	}
}

func TestThanosWithoutItsStoreKnowsNothing(t *testing.T) {
	t.Parallel()
	p := startPrometheus(t, small(), "a")
	sidecar := startSidecar(t, p)
	query := startThanos(t, sidecar)
	c := client(t, query.URL)
	if r := observe(t, c); r.Err != nil {
		t.Fatal(r.Err)
	}
	sidecar.Stop()
	failed(t, "the store has just stopped", observe(t, c))
	until(t, "Thanos drops its store", func() bool { return stores(t, query) == 0 })
	failed(t, "the store is dropped", observe(t, c))
}

func TestThanosWhosePrometheusStoppedKnowsNothing(t *testing.T) {
	t.Parallel()
	p := startPrometheus(t, small(), "a")
	query := startThanos(t, startSidecar(t, p))
	c := client(t, query.URL)
	if r := observe(t, c); r.Err != nil {
		t.Fatal(r.Err)
	}
	p.Stop()
	failed(t, "Prometheus has stopped behind its sidecar", observe(t, c))
}

func TestThanosCountsAPairOfReplicasOnceAndMissesNone(t *testing.T) {
	t.Parallel()
	one, other := startSidecar(t, startPrometheus(t, small(), "a")), startSidecar(t, startPrometheus(t, small(), "b"))
	query := startThanos(t, one, other)
	c := client(t, query.URL)
	answer{calls: 5000 * perHour}.check(t, observe(t, c))
	other.Stop()
	failed(t, "one store of two has just stopped", observe(t, c))
	// Then Thanos forgets it and says nothing, unless it is told to insist on it.
	until(t, "Thanos drops a store", func() bool { return stores(t, query) == 1 })
	answer{calls: 5000 * perHour}.check(t, observe(t, c))
	strict, err := servers.StartThanosQuery(t.Context(), servers.ThanosQueryOptions{
		Flags: []string{"--query.replica-label=replica", "--endpoint-strict=" + one.Endpoint, "--endpoint-strict=" + other.Endpoint},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(strict.Stop)
	until(t, "the strict one finds its store", func() bool { return stores(t, strict) == 1 })
	failed(t, "one of two stores that must be there is away", observe(t, client(t, strict.URL)))
}
