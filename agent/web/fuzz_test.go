package web_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

// Whatever an address asks, the page is whole, holds no number that is none and
// nothing that the address made markup of.
func FuzzAddresses(f *testing.F) {
	for _, seed := range [][2]string{
		{"1s", "2"}, {"none", "0"}, {"24h", "100"}, {"1ns", "1"}, {"-1s", "1e3"}, {`"><script>alert(1)</script>`, "NaN"}, {"", " "},
	} {
		f.Add(seed[0], seed[1])
	}
	in := reporttest.Seen(reporttest.Dependency("x"), reporttest.Start, 36000, 360)
	in.Dependency.Policy.HedgeAfter = 100 * time.Millisecond
	r := reporttest.Cycle(nil, reporttest.Start, in)
	handler := web.NewHandler(web.Options{
		Report: func() *report.Report { return r }, Metrics: http.NotFoundHandler(),
		Now: func() time.Time { return reporttest.Start }, Logger: slog.New(slog.DiscardHandler),
	})
	f.Fuzz(func(t *testing.T, a, b string) {
		for path, v := range map[string]url.Values{
			"/dependencies/x": {"timeout": {a}, "deadline": {a}, "backoff": {a}, "retries": {b}, "correlation": {b}, "history": {b}},
			"/":               {"q": {a}, "owner": {b}, "sort": {a}, "page": {b}},
			"/calc":           {"calculator": {"fallback"}, "p50": {a}, "p99": {a}, "timeout": {a}, "retries": {b}, "calls-per-day": {b}},
		} {
			reply := httptest.NewRecorder()
			handler.ServeHTTP(reply, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+"?"+v.Encode(), nil))
			page := reply.Body.String()
			if reply.Code != http.StatusOK || !strings.HasSuffix(strings.TrimSpace(page), "</html>") {
				t.Errorf("%s?%s: status %d, %d bytes", path, v.Encode(), reply.Code, len(page))
			}
			if strings.Contains(page, `value="NaN" data-key`) || strings.Contains(page, "<script>") {
				t.Errorf("%s?%s: a number that is none, or markup", path, v.Encode())
			}
		}
	})
}
