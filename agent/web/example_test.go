package web_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// Before the first cycle has ended the daemon answers, and says that it knows
// nothing yet.
func ExampleNewHandler() {
	handler := web.NewHandler(web.Options{
		Report:  func() *report.Report { return nil },
		Ready:   func() bool { return true },
		Metrics: http.NotFoundHandler(),
		Now:     time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	for _, path := range []string{"/-/ready", "/api/v1/report"} {
		reply := httptest.NewRecorder()
		handler.ServeHTTP(reply, httptest.NewRequest(http.MethodGet, path, nil))
		fmt.Print(reply.Code, " ", reply.Body)
	}
	// Output:
	// 200 timeout-auditor is ready.
	// 503 the first audit cycle has not ended yet
}
