package rules_test

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

func Example() {
	rule := rules.Table()[0]
	fmt.Println(rule.Severity, rule.Code, rule.Alert())
	fmt.Println(rule.Title)
	// Output:
	// critical timeout-below-p99 TimeoutBelowP99
	// The timeout lies below the dependency's p99: more than 1% of healthy calls are cut off.
}
