package grafana_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// Two hours of calls, a sample per 15 s: 10 calls a second to each of two
// callees. 6% of those to payments take longer than the 250 ms that the
// configuration declares, of those to index none. What refused is about has no
// series.
const audited = `
prometheus: {url: %q}
schedule: "@every 1s"
alertmanagers: [{url: "http://127.0.0.1:9", timeout: 1s}]
metrics: {detail: true}
defaults:
  latency: {timeouts: uncensored}
dependencies:
  - name: checkout-payments
    caller: checkout
    callee: payments
    owner: team-pay
    latency: {histogram: payments_seconds}
    policy: {timeout: 250ms, connect_timeout: 50ms, deadline: 5s, retries: 2, idempotent: true}
    error_ratio: 0.004
    observed:
      attempts: sum(rate(payments_attempts_total[$window]))
      timeouts: sum(rate(payments_timeouts_total[$window]))
  - name: search-index
    caller: search
    callee: index
    latency: {histogram: index_seconds}
    policy: {timeout: 800ms, connect_timeout: 50ms, deadline: 5s}
  - name: catalog-prices
    latency: {histogram: refused_seconds}
    policy: {timeout: 1s, connect_timeout: 50ms, deadline: 5s}
chains:
  - name: product-page
    caller: edge
    owner: team-web
    deadline: 1s
    hops: [search-index, checkout-payments]
`

// past is the last two hours of a Prometheus, as OpenMetrics.
type past struct {
	until time.Time
	text  strings.Builder
}

func newPast() *past { return &past{until: time.Now()} }

// series adds a series by its value at each second since the past began.
func (p *past) series(name string, value func(second float64) float64) {
	const length, step = 2 * 3600, 15
	for s := 0; s <= length; s += step {
		fmt.Fprintf(&p.text, "%s %g %d\n", name, value(float64(s)), p.until.Unix()-length+int64(s))
	}
}

// calls adds what the configuration above asks for.
func (p *past) calls() {
	counter := func(name string, share float64) {
		p.series(name, func(second float64) float64 { return math.Round(10 * share * second) })
	}
	type bucket struct {
		le    string
		share float64
	}
	for name, buckets := range map[string][]bucket{
		"payments": {{"0.05", 0.4}, {"0.1", 0.7}, {"0.25", 0.94}, {"0.5", 0.99}, {"1", 1}, {"+Inf", 1}},
		"index":    {{"0.05", 0.5}, {"0.1", 0.9}, {"0.2", 0.995}, {"0.4", 1}, {"0.8", 1}, {"+Inf", 1}},
	} {
		for _, b := range buckets {
			counter(name+`_seconds_bucket{le="`+b.le+`"}`, b.share)
		}
	}
	counter("payments_attempts_total", 1)
	counter("payments_timeouts_total", 0.06)
}

// start gives the past to a real Prometheus.
func (p *past) start(t *testing.T) *servers.Process {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "past.om")
	if err := os.WriteFile(file, []byte(p.text.String()+"# EOF\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := servers.Promtool(t.Context(), "tsdb", "create-blocks-from", "openmetrics", file, filepath.Join(dir, "data")); err != nil {
		t.Fatalf("writing the past: %v\n%s", err, out)
	}
	server, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}
