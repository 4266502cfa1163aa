package web_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

func serve(t *testing.T, change func(*web.Options)) *httptest.Server {
	t.Helper()
	o := web.Options{
		Report:  reporttest.EveryStatus,
		Reload:  func() error { return nil },
		Ready:   func() bool { return true },
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "up 1\n") }),
		Now:     func() time.Time { return reporttest.Start.Add(90 * time.Second) },
		Logger:  slog.New(slog.DiscardHandler), Version: "test",
	}
	if change != nil {
		change(&o)
	}
	server := httptest.NewServer(web.NewHandler(o))
	t.Cleanup(server.Close)
	return server
}

func request(t *testing.T, method, url string) (status int, header http.Header, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(data)
}

func TestEndpoints(t *testing.T) {
	noReport := func(o *web.Options) { o.Report = func() *report.Report { return nil } }
	notReady := func(o *web.Options) { o.Ready = func() bool { return false } }
	lifecycle := func(o *web.Options) { o.EnableLifecycle = true }
	brokenReload := func(o *web.Options) {
		o.EnableLifecycle, o.Reload = true, func() error { return errors.New("config.yaml:3: unknown key") }
	}
	refused := func(o *web.Options) { o.Refused = func() error { return errors.New("config.yaml:3: <b>unknown</b>") } }
	pprof := func(o *web.Options) { o.EnablePprof = true }
	prefixed := func(o *web.Options) { o.RoutePrefix = "/timeouts" }
	for name, tc := range map[string]struct {
		change       func(*web.Options)
		method, path string
		status       int
		contains     string
	}{
		"status page":                  {nil, "GET", "/", 200, "timeout-below-p99"},
		"status page before a report":  {noReport, "GET", "/", 200, "not ended yet"},
		"a refused configuration":      {refused, "GET", "/dependencies/thin", 200, "config.yaml:3: &lt;b&gt;unknown"},
		"metrics":                      {nil, "GET", "/metrics", 200, "up 1"},
		"report":                       {nil, "GET", "/api/v1/report", 200, `"status": "query-failed"`},
		"report before one":            {noReport, "GET", "/api/v1/report", 503, "not ended yet"},
		"healthy":                      {notReady, "GET", "/-/healthy", 200, "healthy"},
		"ready":                        {nil, "GET", "/-/ready", 200, "is ready"},
		"not ready":                    {notReady, "GET", "/-/ready", 503, "not ready"},
		"reload without lifecycle":     {nil, "POST", "/-/reload", 403, "--web.enable-lifecycle"},
		"reload":                       {lifecycle, "POST", "/-/reload", 200, "reloaded"},
		"reload by GET":                {lifecycle, "GET", "/-/reload", 405, ""},
		"failed reload says why":       {brokenReload, "POST", "/-/reload", 500, "config.yaml:3: unknown key"},
		"profiles are off":             {nil, "GET", "/debug/pprof/", 404, ""},
		"profiles on demand":           {pprof, "GET", "/debug/pprof/", 200, "goroutine"},
		"unknown path":                 {nil, "GET", "/nothing", 404, ""},
		"metrics under a prefix":       {prefixed, "GET", "/timeouts/metrics", 200, "up 1"},
		"page under a prefix":          {prefixed, "GET", "/timeouts/", 200, `href="/timeouts/metrics"`},
		"root redirects to the prefix": {prefixed, "GET", "/", 200, "timeout-below-p99"},
	} {
		t.Run(name, func(t *testing.T) {
			status, header, body := request(t, tc.method, serve(t, tc.change).URL+tc.path)
			if status != tc.status || !strings.Contains(body, tc.contains) {
				t.Errorf("%s %s: status %d, want %d with %q in:\n%s", tc.method, tc.path, status, tc.status, tc.contains, body)
			}
			if header.Get("Content-Security-Policy") == "" || header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("security headers missing: %v", header)
			}
		})
	}
}

func TestNamesFromOutsideStayTextOnThePage(t *testing.T) {
	_, header, body := request(t, "GET", serve(t, nil).URL+"/")
	if strings.Contains(body, "<script>alert") || !strings.Contains(body, "&lt;script&gt;") {
		t.Error("a dependency's name became markup")
	}
	if got := header.Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("content type %q", got)
	}
}

func TestPageTellsUnknownFromGood(t *testing.T) {
	_, _, body := request(t, "GET", serve(t, nil).URL+"/")
	for _, want := range []string{"query-failed", "figures are 60s old", "no-data", "thin-data", "the selector matches no series"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestReportOverHTTPIsTheReport(t *testing.T) {
	_, header, body := request(t, "GET", serve(t, nil).URL+"/api/v1/report")
	var want strings.Builder
	if err := reporttest.EveryStatus().WriteJSON(&want); err != nil {
		t.Fatal(err)
	}
	if body != want.String() || header.Get("Content-Type") != "application/json" || !json.Valid([]byte(body)) {
		t.Error("/api/v1/report is not the JSON that audit prints")
	}
}
