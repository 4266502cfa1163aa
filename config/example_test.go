package config_test

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/config"
)

func ExampleParse() {
	const file = `
prometheus:
  url: http://prometheus:9090
dependencies:
  - name: checkout-payments
    latency:
      histogram: http_client_request_duration_seconds
    policy:
      timeout: 2
      retrys: 2
`
	_, err := config.Parse("config.yaml", []byte(file), config.Options{})
	fmt.Println(err)
	// Output:
	// config.yaml:9: dependencies[0].policy.timeout: must have a unit, got 2; 2s?
	// config.yaml:10: dependencies[0].policy.retrys: unknown key; did you mean retries?
}
