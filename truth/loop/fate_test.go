package loop

import (
	"math"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

func fated(rho, errors float64) fates {
	return fates{5, scenario{
		policy: retry.Policy{Timeout: ms(250), Retries: 3}, latency: usual(), errorRatio: errors, correlation: rho,
	}}
}

// With n = 40,000 the standard errors are 0.25% of calls at rho ½, and 0.0015 of
// a share of 10%; the seed is fixed, and four of those are allowed.
func TestShareOfCallsMeetsOneFate(t *testing.T) {
	const n = 40_000
	for _, rho := range []float64{0, .5, 1} {
		f := fated(rho, .1)
		same := 0
		for call := range uint64(n) {
			if f.of(call, 1) == f.of(call, 2) && f.of(call, 2) == f.of(call, 3) {
				same++
			}
		}
		if got := float64(same) / n; math.Abs(got-rho) > .01 {
			t.Errorf("rho %v: %v of all calls meet one fate", rho, got)
		}
	}
}

func TestFatesHaveTheLatencyAndTheErrorRatioOfTheScenario(t *testing.T) {
	const n = 40_000
	for _, rho := range []float64{0, .5, 1} {
		f := fated(rho, .1)
		var above, failed, sum, squares float64
		for call := range uint64(n) {
			fate := f.of(call, 1+call%3)
			switch {
			case fate.seconds > f.timeout():
				above++
			case fate.fails:
				failed++
			}
			log := math.Log(fate.seconds)
			sum += log
			squares += log * log
		}
		mean := sum / n
		sigma := math.Sqrt(squares/n - mean*mean)
		if math.Abs(mean-f.latency.Mu) > .016 || math.Abs(sigma-f.latency.Sigma) > .012 {
			t.Errorf("rho %v: drew mu %v and sigma %v, want %v and %v", rho, mean, sigma, f.latency.Mu, f.latency.Sigma)
		}
		if want := f.latency.Survival(f.timeout()); math.Abs(above/n-want) > .0067 {
			t.Errorf("rho %v: %v of all attempts are beyond the timeout, want %v", rho, above/n, want)
		}
		if math.Abs(failed/n-.1) > .006 {
			t.Errorf("rho %v: %v of all attempts fail in time, want 0.1", rho, failed/n)
		}
	}
}

func TestFatesAreThoseOfTheirSeed(t *testing.T) {
	f := fated(.5, .1)
	other := f
	other.seed++
	if f.of(7, 2) != f.of(7, 2) || f.of(7, 2) == other.of(7, 2) || f.of(7, 2) == f.of(8, 2) {
		t.Errorf("an attempt's fate is not that of its seed, call and number")
	}
}
