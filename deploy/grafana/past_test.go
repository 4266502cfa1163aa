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

// record writes the past up to a moment into the data of a Prometheus in dir.
func record(t *testing.T, dir string, until time.Time) {
	t.Helper()
	const past, step = 2 * 3600, 15
	const perSecond = 10.0
	var text strings.Builder
	series := func(name string, share float64) {
		for s := 0; s <= past; s += step {
			fmt.Fprintf(&text, "%s %g %d\n", name, math.Round(share*perSecond*float64(s)), until.Unix()-past+int64(s))
		}
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
			series(name+`_seconds_bucket{le="`+b.le+`"}`, b.share)
		}
	}
	series("payments_attempts_total", 1)
	series("payments_timeouts_total", 0.06)
	file := filepath.Join(dir, "past.om")
	if err := os.WriteFile(file, []byte(text.String()+"# EOF\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := servers.Promtool(t.Context(), "tsdb", "create-blocks-from", "openmetrics", file, filepath.Join(dir, "data")); err != nil {
		t.Fatalf("writing the past: %v\n%s", err, out)
	}
}
