package notify

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

func TestRedirectThatDropsTheAlertsIsNoSuccess(t *testing.T) {
	elsewhere := http.NewServeMux()
	elsewhere.HandleFunc("GET /login", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "who are you?") })
	elsewhere.HandleFunc("POST /api/v2/alerts", func(http.ResponseWriter, *http.Request) {})
	elsewhere.HandleFunc("POST /lost/api/v2/alerts", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) })
	elsewhere.HandleFunc("POST /moved/api/v2/alerts", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/api/v2/alerts", http.StatusPermanentRedirect)
	})
	server := httptest.NewServer(elsewhere)
	t.Cleanup(server.Close)
	for path, want := range map[string]string{
		"/":      "", // with a slash at its end
		"/moved": "",
		"/lost":  "redirected to " + server.URL + "/login, which drops the alerts",
		"/gone":  "404 Not Found",
	} {
		for _, follow := range []bool{true, false} {
			client := promconfig.DefaultHTTPClientConfig
			client.FollowRedirects = follow
			plan := planOf(t, config.Config{Alertmanagers: []config.Alertmanager{{URL: server.URL + path, Timeout: time.Second, HTTPClient: client}}})
			err := plan.targets[0].post(t.Context(), []Alert{newAlert(found("a"), rules.Table()[0], nil, pages)})
			want := want
			if !follow && path == "/moved" {
				want = "308 Permanent Redirect"
			} else if !follow && path == "/lost" {
				want = "302 Found"
			}
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s, redirects followed: %t: error %v, want %q", path, follow, err, want)
			}
		}
	}
}
