package main

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// One trial of the battery: a known latency, its timeout at p99.9 and between
// two of Envoy's bucket bounds, as three methods see it.
func Example() {
	known := shape{name: "known", tail: lognormal(1, .8)}
	windows := trial{shape: known, layout: layouts()[2], n: 1e6, p: .001, place: between}.run(1)
	for m := range methods {
		fmt.Printf("%s: off by %s\n", m, figure.Multiple(round(factorError(windows[0].estimates[m], .001), 2)))
	}
	// Output:
	// two quantiles: off by 1.8×
	// single fit: off by 1×
	// headline: off by 1×
}
