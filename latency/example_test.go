package latency_test

import (
	"fmt"
	"math"
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// A client's histogram over an hour: 3% of the attempts took longer than the
// timeout of one second, so that the timeout is below p99.
func Example() {
	h, err := latency.FromCumulative(
		[]float64{.1, .25, .5, 1, 2.5, 5},
		[]float64{9_000, 21_000, 27_000, 29_100, 29_800, 29_950, 30_000})
	if err != nil {
		fmt.Println(err)
		return
	}
	tail := latency.ReadTail(latency.Observation{
		Window: time.Hour,
		Now:    latency.Window{Parts: []latency.Histogram{h}, Scrapes: math.Inf(1)},
	}, latency.TailOptions{Timeout: 1})
	fmt.Printf("p = %.1f%%, surely between %.1f%% and %.1f%%\n", 100*tail.Point, 100*tail.Lower, 100*tail.Upper)
	fmt.Println("more than 1%:", tail.Compare(0.01))
	fmt.Println("status:", tail.Status)
	// Output:
	// p = 3.0%, surely between 2.8% and 3.3%
	// more than 1%: above
	// status: ok
}

// The arithmetic that anyone can check by hand: p50 180 ms, p99 1.4 s and a
// timeout of 2 s cut off 1,263 of 400,000 calls a day.
func ExampleFitQuantiles() {
	l, err := latency.FitQuantiles(
		latency.QuantilePoint{P: 0.5, Seconds: 0.180},
		latency.QuantilePoint{P: 0.99, Seconds: 1.4})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := l.Survival(2)
	fmt.Printf("sigma %.3f, %.4f%% are cut off, %.0f a day\n", l.Sigma, 100*p, 400_000*p)
	fmt.Printf("p99.9 is %.2f s\n", l.Quantile(0.001))
	// Output:
	// sigma 0.882, 0.3159% are cut off, 1263 a day
	// p99.9 is 2.75 s
}

// The hard bracket of 45 slow calls in 1,000.
func ExampleBinomialLower() {
	const slow, calls = 45, 1000
	fmt.Printf("%.2f%% to %.2f%%\n",
		100*latency.BinomialLower(slow, calls, 0.995),
		100*latency.BinomialUpper(slow, calls, 0.995))
	fmt.Println("calls without a slow one that rule out 1%:", latency.RuleOfThree(0.01, 0.95))
	// Output:
	// 2.98% to 6.47%
	// calls without a slow one that rule out 1%: 299
}
