package agent_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// fourHops is a page that calls through four services, each of which retries
// once: 2 s for all of it, 5 ms of overhead an attempt.
const fourHops = `
prometheus: {url: http://localhost:9090}
defaults: {policy: {timeout: 5s, retries: 1}, latency: {timeouts: uncensored}}
dependencies:
  - {name: shop-orders, latency: {histogram: orders_seconds}}
  - {name: orders-stock, latency: {histogram: stock_seconds}}
  - {name: stock-prices, latency: {histogram: prices_seconds}}
  - {name: prices-db, latency: {histogram: db_seconds}}
chains:
  - name: page
    deadline: 2s
    overhead: 5ms
    hops:
      - dependency: shop-orders
        nested:
          - dependency: orders-stock
            nested:
              - dependency: stock-prices
                nested: [prices-db]
`

// slowCallee answers everything with a p99 of 600 ms.
type slowCallee struct{ noTemplates }

func (s slowCallee) ObserveEach(ctx context.Context, deps []config.Dependency, at time.Time, each func(i int, r promquery.Result)) {
	for i, r := range s.Observe(ctx, deps, at) {
		each(i, r)
	}
}

func (slowCallee) Observe(_ context.Context, deps []config.Dependency, at time.Time) []promquery.Result {
	window := latency.Window{Scrapes: math.Inf(1)}
	for range 12 {
		window.Parts = append(window.Parts, latency.Histogram{Scheme: latency.Classic, Bins: []latency.Bin{
			{Lower: 0, Upper: 0.3, Count: 2700}, {Lower: 0.3, Upper: 0.6, Count: 270}, {Lower: 0.6, Upper: 6, Count: 30}, {Lower: 6, Upper: math.Inf(1)},
		}})
	}
	p50, p99 := 0.17, 0.6
	results := make([]promquery.Result, len(deps))
	for i := range results {
		results[i].Observation = latency.Observation{At: at, Window: time.Hour, Now: window, Before: window, P50: &p50, P99: &p99}
	}
	return results
}

func TestWorkedExampleOfFourHopsFromItsConfiguration(t *testing.T) {
	c, err := config.Parse("four-hops.yaml", []byte(fourHops), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := agent.Cycle(t.Context(), c, slowCallee{}, agent.Moment{At: time.Now()})
	page := r.Chains[0]
	if math.Abs(page.Share-0.245) > 1e-12 || page.WorstCase != 16 {
		t.Errorf("share %v, worst case %v; want 0.245 s and 16", page.Share, page.WorstCase)
	}
	if !strings.HasPrefix(page.Lever, "fewer retries: without any below the edge it needs 1.2s") {
		t.Errorf("lever %q, want fewer retries first", page.Lever)
	}
	found := map[string]bool{}
	for _, f := range page.Findings {
		found[f.Rule] = true
	}
	for _, want := range []string{"chain-over-budget", "chain-amplification-high", "deadline-inversion"} {
		if !found[want] {
			t.Errorf("no finding %s: %v", want, found)
		}
	}
}

func TestWhatIsRecommendedFitsIntoTheChain(t *testing.T) {
	c, err := config.Parse("four-hops.yaml", []byte(fourHops), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := agent.Cycle(t.Context(), c, slowCallee{}, agent.Moment{At: time.Now()})
	first := r.Dependencies[0].Recommendation
	if first == nil || first.Room == nil || first.Room.By != "chain page" || math.Abs(first.Room.Seconds-(2.0/2-0.005)) > 1e-12 {
		t.Fatalf("recommendation %+v, want the room that the chain leaves two attempts", first)
	}
	if *first.Target > first.Room.Seconds {
		t.Errorf("target %v, the chain leaves %v", *first.Target, first.Room.Seconds)
	}
}
