package metric_test

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/metric"
)

func Example() {
	row := metric.Lookup(metric.TimeoutP99Ratio)
	fmt.Println(row.Kind, row.Name)
	fmt.Println(row.Help)
	// Output:
	// gauge timeout_auditor_timeout_p99_ratio
	// Effective timeout divided by p99.
}
