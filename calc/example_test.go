package calc_test

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/calc"
)

func Example() {
	f, err := calc.FallbackInput{
		P50: 0.18, P99: 1.4, Timeout: 2, Retries: 2, RetryOnTimeout: true,
		Correlation: 0.5, ErrorRatio: 0.004, CallsPerDay: 400000,
	}.Calculate()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f%% of attempts are cut off, %.4f%% of calls fall back: %.0f a day\n",
		f.FalseTimeoutRatio*100, f.FallbackRatio*100, f.Daily.Fallbacks)
	// Output: 0.316% of attempts are cut off, 0.3579% of calls fall back: 1432 a day
}
