package promquery_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// Two dependencies are asked about; one has no such metric, and says so.
func Example() {
	server := httptest.NewServer(fake{scrapes: vector(nil)}) // stands for a Prometheus
	defer server.Close()

	client, err := promquery.New(promquery.Options{
		Prometheus: config.Prometheus{URL: server.URL, QueryTimeout: 30 * time.Second, MaxConcurrentQueries: 4},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	dependencies := []config.Dependency{
		{Name: "checkout-payments", Window: time.Hour, Latency: config.Latency{Histogram: "http_client_seconds", Kind: "auto", UnitScale: 1}},
		{Name: "checkout-stock", Window: time.Hour, Latency: config.Latency{Histogram: "bad_name_seconds", Kind: "auto", UnitScale: 1}},
	}
	for i, result := range client.Observe(context.Background(), dependencies, noon) {
		if result.Err != nil {
			fmt.Printf("%s: %v\n", dependencies[i].Name, result.Err)
			continue
		}
		o := result.Observation
		fmt.Printf("%s: p99 %vs, window in %d parts\n", dependencies[i].Name, *o.P99, len(o.Now.Parts))
	}
	// Output:
	// checkout-payments: p99 1s, window in 12 parts
	// checkout-stock: no series match bad_name_seconds in the last 1h: check name and selector; check-config --online says which part matches nothing
}
