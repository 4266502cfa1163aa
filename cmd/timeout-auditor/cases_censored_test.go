package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// The reply of a dependency: a lognormal with a median of 100 ms, of which 3%
// would take longer than the timeout of 250 ms, so the timeout is below p99.
const cutTimeout, cutShare = 0.25, 0.03

func reply(x float64) float64 {
	if x <= 0 {
		return 0
	}
	const sigma = 0.48719 // ln(2.5) ÷ the 97% quantile of the standard normal
	return 0.5 * math.Erfc(-math.Log(x/0.1)/(sigma*math.Sqrt2))
}

// exposed is what a process would serve that has measured 100,000 calls of the
// distribution cdf.
func exposed(bounds []float64, cdf func(float64) float64) string {
	const calls = 100_000
	var b strings.Builder
	b.WriteString("# TYPE cut_seconds histogram\n")
	for _, bound := range bounds {
		fmt.Fprintf(&b, "cut_seconds_bucket{le=\"%g\"} %.0f\n", bound, calls*cdf(bound))
	}
	fmt.Fprintf(&b, "cut_seconds_bucket{le=\"+Inf\"} %d\ncut_seconds_count %d\n", calls, calls)
	return b.String()
}

// bent is what a caller's own timeout makes of the histogram.
type bent struct {
	cdf func(float64) float64
}

// A caller's own timeout bends its histogram in ways that look healthy. In each
// of these 3% of attempts are cut off: nothing may say that the timeout is fine,
// nor that the histogram shows no cut.
func TestCaseHistogramBentByItsOwnTimeout(t *testing.T) {
	layouts := map[string][]float64{
		"Go's buckets":     {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
		"fine buckets":     {0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 1},
		"no bound at 250":  {0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1},
		"coarse (Linkerd)": {0.05, 0.5, 1, 10},
	}
	shapes := map[string]bent{
		// The timer fires and the caller looks at its clock a little later.
		"recorded a few ms above": {cdf: func(x float64) float64 {
			if x < cutTimeout+0.005 {
				return min(reply(x), 1-cutShare)
			}
			return 1
		}},
		// What is recorded is the timeout itself, which le = T counts as in time.
		"rounded onto the timeout": {cdf: func(x float64) float64 {
			if x < cutTimeout {
				return reply(x)
			}
			return 1
		}},
		// Calls with two retries inside, each attempt cut off at the timeout.
		"whole calls with retries inside": {cdf: func(x float64) float64 {
			total, reach := 0.0, 1.0
			for try := range 3 {
				total += reach * min(reply(x-float64(try)*cutTimeout), 1-cutShare)
				reach *= cutShare
			}
			if x >= 3*cutTimeout {
				total += reach
			}
			return total
		}},
	}
	for layout, bounds := range layouts {
		for shape, cut := range shapes {
			t.Run(shape+", "+layout, func(t *testing.T) {
				o := judged(t, exposed(bounds, cut.cdf), "inspect", "--metric=cut_seconds", "--timeout=250ms", "--retries=2", "-")
				if o.cleared() {
					t.Errorf("cleared: %+v, readings %+v", o.Findings, o.Figures.Readings)
				}
				if o.Figures.FalseTimeout.Upper < cutShare {
					t.Errorf("p is at most %v, and it is %v", o.Figures.FalseTimeout.Upper, cutShare)
				}
				var accounts []latency.Recording
				for _, r := range o.Figures.Readings {
					accounts = append(accounts, r.Timeouts)
				}
				if slices.Equal(accounts, []latency.Recording{latency.RecordingUncensored}) {
					t.Errorf("read as uncensored alone: %+v", o.Figures.Readings)
				}
			})
		}
	}
}
