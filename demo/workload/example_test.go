package workload_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/timeout-auditor/timeout-auditor/demo/workload"
)

// A callee whose cache misses every tenth time, and is slow then.
func Example() {
	latency := workload.TwoModes(0.1,
		workload.Lognormal(4*time.Millisecond, 12*time.Millisecond),
		workload.Lognormal(200*time.Millisecond, 400*time.Millisecond))
	draw := rand.New(rand.NewPCG(1, 1))
	cut := 0
	for call := range uint64(10_000) {
		if latency(workload.Request{Call: call}, draw) > 50*time.Millisecond {
			cut++
		}
	}
	fmt.Printf("a timeout of 50ms cuts off about %d%%\n", (cut+50)/100)
	// Output:
	// a timeout of 50ms cuts off about 10%
}
