package recording_test

import (
	"fmt"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules/recording"
)

func Example() {
	cfg := &config.Config{Dependencies: []config.Dependency{{
		Name:    "checkout-payments",
		Window:  time.Hour,
		Latency: config.Latency{Histogram: "rpc_duration_seconds", Kind: "classic", Scope: "attempt"},
		Policy:  config.Policy{Timeout: 2 * time.Second, Retries: 1, RetryOnTimeout: true},
	}}}
	for _, group := range recording.Groups(cfg, recording.Options{}) {
		fmt.Println(group.Name, len(group.Rules))
	}
	fmt.Println(recording.Groups(cfg, recording.Options{})[1].Rules[1].Expr)
	// Output:
	// timeout-auditor-declared-1 5
	// timeout-auditor-window-checkout-payments 14
	// timeout-auditor-recorded-alerts 2
	// ((histogram_quantile(0.99, sum by (le) (rate(rpc_duration_seconds_bucket{}[1h])))) > 0) < Inf
}
