package loop_test

import (
	"fmt"
	"os"

	"github.com/timeout-auditor/timeout-auditor/truth/loop"
)

// Run returns rows such as this one, whose duration is not what was predicted.
func ExampleWriteMarkdown() {
	row := loop.Row{
		Policy:   "timeout 250ms, 1 retry, backoff 50ms, rho 0.5",
		Calls:    5000,
		Fallback: loop.Measure{Measured: .0736, Predicted: .0710, Low: .0592, High: .0842, Inside: true},
		Attempts: loop.Measure{Measured: 1.127, Predicted: 1.126, Low: 1.110, High: 1.142, Inside: true},
		Duration: loop.Measure{Measured: .1694, Predicted: .1485, Low: .1419, High: .1562},
		Late:     loop.Lateness{Replies: .0008, Timers: .0006},
	}
	if err := loop.WriteMarkdown(os.Stdout, []loop.Row{row}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// | policy, and what its callee does | calls | fallbacks: measured | predicted | may lie in | attempts per call: measured | predicted | may lie in | mean duration: measured | predicted | may lie in |
	// |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
	// | timeout 250ms, 1 retry, backoff 50ms, rho 0.5 | 5,000 | 7.36% | 7.1% | 5.92% – 8.42% | 1.127 | 1.126 | 1.110 – 1.142 | **169ms** | 148ms | 142ms – 156ms |
	//
	// 2 of 3 figures lie where they may. Intervals hold the sampling error at 99.9% and the lateness of this run: on average over one policy's calls, replies were up to 800µs late and timers up to 600µs.
}
