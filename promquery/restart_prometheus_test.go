package promquery_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// What was asked of a server that went away has failed: it is neither empty nor
// fine. The cycle after it is back is as whole as the one before.
func TestRealPrometheusThatRestartsInTheMiddleOfACycle(t *testing.T) {
	address, err := servers.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := crowd().blocks(t)
	start := func() *servers.Process {
		return startPrometheus(t.Context(), t, servers.PrometheusOptions{Dir: dir, Flags: []string{"--web.listen-address=" + address}})
	}
	server := start()
	goAway := sync.OnceFunc(func() { server.Stop() })
	restarting := false
	c := client(t, interposed(t, "http://"+address, func(query string, _ http.ResponseWriter) bool {
		if restarting && strings.Contains(query, "increase(") {
			goAway()
		}
		return false
	}), nil)
	told := cmp.Options{cmpopts.EquateApprox(1e-12, 0), cmp.Transformer("told", told), cmp.Transformer("asked", asked)}

	deps := crowdDependencies()
	before := c.Observe(t.Context(), deps, evening)
	restarting = true
	failed := 0
	for i, r := range c.Observe(t.Context(), deps, evening) {
		var e *promquery.Error
		if errors.As(r.Err, &e) && e.Status() == latency.StatusQueryFailed {
			failed++
			continue
		}
		if d := cmp.Diff(before[i], r, told); d != "" {
			t.Errorf("%s %v has not failed and is another (-before +while):\n%s", deps[i].Latency.Histogram, deps[i].Latency.Matchers, d)
		}
	}
	if least := len(nastyValues()); failed < least {
		t.Errorf("%d of %d have failed, want %d at least", failed, len(deps), least)
	}
	restarting = false
	start()
	if d := cmp.Diff(before, c.Observe(t.Context(), deps, evening), told); d != "" {
		t.Errorf("after the restart (-before +after):\n%s", d)
	}
}
