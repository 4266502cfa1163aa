package exposition_test

import (
	"fmt"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/exposition"
)

func Example() {
	e, err := exposition.Read(strings.NewReader(`# TYPE http_seconds histogram
http_seconds_bucket{le="0.1"} 50
http_seconds_bucket{le="0.5"} 98
http_seconds_bucket{le="+Inf"} 100
http_seconds_sum 12.5
http_seconds_count 100
`), "metrics.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	o, err := e.Observe(exposition.Selection{Metric: "http_seconds"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(o.Now.Parts[0].Total(), "calls, p50", *o.P50, "s")

	_, err = e.Observe(exposition.Selection{Metric: "http_second"})
	fmt.Println(err)
	// Output:
	// 100 calls, p50 0.1 s
	// metrics.txt: http_second: no such metric; did you mean http_seconds? Histograms here: http_seconds
}
