package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	promconfig "github.com/prometheus/common/config"

	"github.com/timeout-auditor/timeout-auditor/agent/notify"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// A finding that has stood for its rule's time goes to every Alertmanager.
func Example() {
	told := make(chan []notify.Alert, 1)
	alertmanager := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var alerts []notify.Alert
		if err := json.NewDecoder(r.Body).Decode(&alerts); err == nil {
			told <- alerts
		}
	}))
	defer alertmanager.Close()

	plan, err := notify.NewPlan(&config.Config{Alertmanagers: []config.Alertmanager{
		{URL: alertmanager.URL, Timeout: time.Second, HTTPClient: promconfig.DefaultHTTPClientConfig},
	}}, "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	n := notify.New(notify.Options{Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry()})
	n.Adopt(plan)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go n.Run(ctx)

	now := time.Now()
	n.Publish(&report.Report{At: now, Findings: []rules.Finding{{
		Rule: "timeout-below-p99", Severity: rules.Critical, Dependency: "checkout-payments", Since: now.Add(-time.Hour),
		Message: "10.1% of attempts are cut off", Advice: "raise the timeout to 600ms",
	}}})
	for _, alert := range <-told {
		fmt.Println(alert.Labels["alertname"], alert.Labels["dependency"], alert.Labels["severity"])
		fmt.Println(alert.Annotations["description"])
	}
	// Output:
	// TimeoutBelowP99 checkout-payments critical
	// 10.1% of attempts are cut off. What to do: raise the timeout to 600ms.
}
