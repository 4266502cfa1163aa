package engines_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// multitenant stands before a server as Mimir and Cortex do: without a tenant
// there is no answer.
func multitenant(t *testing.T, server, tenant string) (address string, refused *atomic.Int64) {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	refused = &atomic.Int64{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Scope-OrgID") != tenant {
			refused.Add(1)
			http.Error(w, "no org id", http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL, refused
}

// The configuration as it stands in a file.
const tenantConfig = `
prometheus:
  url: %s
  http_headers:
    X-Scope-OrgID: {values: [%s]}
dependencies:
  - name: steady
    latency: {histogram: steady_seconds}
    policy: {timeout: 2s}
`

func TestTenantHeaderOfTheConfigurationIsSentWithEveryQuery(t *testing.T) {
	t.Parallel()
	address, refused := multitenant(t, startPrometheus(t, small(), "a").URL, "team-pay")
	ask := func(tenant string) promquery.Result {
		cfg, err := config.Parse("config.yaml", fmt.Appendf(nil, tenantConfig, address, tenant), config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := promquery.New(promquery.Options{Prometheus: cfg.Prometheus})
		if err != nil {
			t.Fatal(err)
		}
		return c.Observe(t.Context(), cfg.Dependencies, evening)[0]
	}
	answer{calls: 5000 * perHour}.check(t, ask("team-pay"))
	if n := refused.Load(); n > 0 {
		t.Errorf("%d queries came without the tenant", n)
	}
	var e *promquery.Error
	if r := ask("team-other"); !errors.As(r.Err, &e) || e.Kind != promquery.KindUnauthorized || e.Status() != latency.StatusQueryFailed {
		t.Errorf("another tenant: %v, want unauthorized", r.Err)
	}
}
