package audit_test

import (
	"fmt"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Nothing observed is a status with its reason, not a figure of zero.
func Example() {
	a := audit.Assess(audit.Input{
		Dependency: &config.Dependency{Name: "checkout-payments", Policy: config.Policy{Timeout: time.Second, Retries: 2, RetryOnTimeout: true}},
		Failure:    &audit.Failure{Status: latency.StatusNoData, Message: "the selector matches no series"},
	})
	fmt.Println(a.Status, a.Detail)
	fmt.Println("at worst", a.WorstCase, "attempts; false timeouts known:", a.FalseTimeout != nil)
	// Output:
	// no-data the selector matches no series
	// at worst 3 attempts; false timeouts known: false
}
