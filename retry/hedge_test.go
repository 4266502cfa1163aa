package retry_test

import (
	"testing"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

func TestOneHedgedAttemptIsTheHedgeOfTheModel(t *testing.T) {
	for _, rho := range []float64{0, 0.3, 1} {
		for _, after := range []float64{0.05, 0.3, 1.5} {
			h := retry.Hedge{Latency: api(), Timeout: 2, After: after, Correlation: rho}
			o := retry.Outcome{
				P: []float64{api().Survival(2)}, RetryOnTimeout: true, Correlation: rho,
				Hedge: &retry.HedgeRatios{Open: api().Survival(after), Late: api().Survival(2 - after)},
			}
			if got := retry.FallbackRatio(o).Total(); !near(got, h.FailureRatio(), 1e-12) {
				t.Errorf("rho %v, after %v: F %v, want %v", rho, after, got, h.FailureRatio())
			}
			if got := retry.Amplification(o); !near(got, 1+h.ExtraLoad(), 1e-12) {
				t.Errorf("rho %v, after %v: A %v, want %v", rho, after, got, 1+h.ExtraLoad())
			}
		}
	}
}

func TestHedgesBesideRetries(t *testing.T) {
	o := retry.Outcome{P: retry.Repeat(0.1, 2), RetryOnTimeout: true, Hedge: &retry.HedgeRatios{Open: 0.3, Late: 0.2}}
	for name, tc := range map[string]struct {
		with        func(o retry.Outcome) retry.Outcome
		fails, sent float64
	}{
		"independent": {
			func(o retry.Outcome) retry.Outcome { return o },
			0.02 * 0.02, 1.3 + 0.02*1.3,
		},
		"one fate: every retry of a timeout times out and is hedged": {
			func(o retry.Outcome) retry.Outcome { o.Correlation = 1; return o },
			0.1, 1.3 + 0.1*2,
		},
		"no budget for retries leaves the hedges": {
			func(o retry.Outcome) retry.Outcome { none := 0.0; o.Budget = &none; return o },
			0.02, 1.3,
		},
		"an error before the hedge is due ends the attempt": {
			// 0.09 / 0.9 of the replies are errors: 0.07 come before the hedge, and
			// of the 0.12 that are late or fail later both requests have to fail.
			func(o retry.Outcome) retry.Outcome { o.P, o.E = []float64{0.1}, 0.09; return o },
			0.1*0.7 + (0.1+0.1*0.2)*(0.2+0.8*0.1), 1.3,
		},
		"an attempt that the deadline cuts is not hedged": {
			func(o retry.Outcome) retry.Outcome { o.P = []float64{0.1, 0.4}; return o },
			0.02 * 0.4, 1.3 + 0.02,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := tc.with(o)
			if got := retry.FallbackRatio(o).Total(); !near(got, tc.fails, 1e-12) {
				t.Errorf("F %v, want %v", got, tc.fails)
			}
			if got := retry.Amplification(o); !near(got, tc.sent, 1e-12) {
				t.Errorf("A %v, want %v", got, tc.sent)
			}
		})
	}
}
