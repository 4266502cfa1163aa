package retry_test

import (
	"fmt"
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// A call with a median of 180 ms and a p99 of 1.4 s is given 2 s per attempt,
// two retries and 5 s in all.
func Example() {
	policy := retry.Policy{Timeout: 2, Deadline: 5, Retries: 2, RetryOnTimeout: true}
	effective := policy.Effective()
	for _, d := range effective.Differences {
		fmt.Printf("%s: declared %s, effective %s\n", d.What, d.Declared, d.Effective)
	}

	replies := latency.Lognormal{Mu: math.Log(0.18), Sigma: 0.88176}
	var p []float64
	for _, timeout := range effective.Timeouts {
		p = append(p, replies.Survival(timeout))
	}
	outcome := effective.Outcome(p)
	outcome.E, outcome.Correlation = 0.004, 0.5
	f := retry.FallbackRatio(outcome)
	fmt.Printf("fallback %.4f%%: timeouts %.4f%%, errors %.4f%%\n", f.Total()*100, f.Timeout*100, f.Error*100)
	fmt.Printf("amplification %.4f\n", retry.Amplification(outcome))
	// Output:
	// the timeout of attempt 3: declared 2s, effective 1s
	// fallback 0.3580%: timeouts 0.1579%, errors 0.2000%
	// amplification 1.0108
}
