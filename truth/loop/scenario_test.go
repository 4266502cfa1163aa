package loop

import (
	"math"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

func TestEveryPolicyReadsDifferently(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range scenarios() {
		if seen[s.String()] {
			t.Errorf("two policies read %q", s)
		}
		seen[s.String()] = true
	}
}

func TestScenarioTellsAllThatMatters(t *testing.T) {
	b := .1
	s := scenario{
		policy: retry.Policy{
			Timeout: .25, Deadline: 1, Retries: 2, Budget: &b,
			Backoff: retry.Backoff{Initial: .02, Multiplier: 2, Max: .06, FullJitter: true},
		},
		errorRatio: .05, correlation: .5,
	}
	want := "timeout 250ms, deadline 1s, 2 retries, timeouts not retried, " +
		"backoff 20ms × 2 up to 60ms with full jitter, retry budget 10%, errors 5%, rho 0.5"
	if got := s.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	hedged := scenario{policy: retry.Policy{Timeout: .25, HedgeAfter: .1}}
	if got, want := hedged.String(), "timeout 250ms, hedge after 100ms, rho 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestStretchedScenarioHasTheSameRatiosAndLongerTimes(t *testing.T) {
	for _, s := range scenarios() {
		before, err := s.predict(0)
		if err != nil {
			t.Fatal(err)
		}
		after, err := s.stretched(4).predict(0)
		if err != nil {
			t.Fatal(err)
		}
		if !near(after.fallback, before.fallback) || !near(after.attempts, before.attempts) || !near(after.seconds, 4*before.seconds) {
			t.Errorf("%s: %+v became %+v", s, before, after)
		}
	}
}

// A hedge that comes just before the timeout changes nothing, and one at once
// leaves the quicker of two draws: its mean is the integral of S², which for
// rho = 0 and a timeout far out is that of the smaller of two lognormal draws,
// 2·exp(mu + sigma²/2)·Φ(−sigma/√2).
func TestMeanDurationOfHedgedCalls(t *testing.T) {
	s := scenario{policy: retry.Policy{Timeout: .25, HedgeAfter: .25 - 1e-9}, latency: usual()}
	late, err := s.predict(0)
	if err != nil {
		t.Fatal(err)
	}
	if want := s.latency.LimitedMean(.25); math.Abs(late.seconds-want) > 1e-5*want {
		t.Errorf("a hedge that is no use: %v s, want %v", late.seconds, want)
	}
	s.policy = retry.Policy{Timeout: 5, HedgeAfter: 1e-9}
	atOnce, err := s.predict(0)
	if err != nil {
		t.Fatal(err)
	}
	l := s.latency
	smaller := 2 * math.Exp(l.Mu+l.Sigma*l.Sigma/2) * .5 * math.Erfc(l.Sigma/2)
	if math.Abs(atOnce.seconds-smaller) > 1e-3*smaller {
		t.Errorf("a hedge at once: %v s, want %v", atOnce.seconds, smaller)
	}
}

func TestSpreadHoldsThePredictionForExactClocks(t *testing.T) {
	for _, s := range scenarios() {
		var exact, late lateness
		late.reply(.002)
		late.timer(.003)
		narrow, err := s.spread(&exact)
		if err != nil {
			t.Fatal(err)
		}
		if narrow.low != narrow.declared || narrow.high != narrow.declared {
			t.Errorf("%s: exact clocks spread %+v", s, narrow)
		}
		wide, err := s.spread(&late)
		if err != nil {
			t.Fatal(err)
		}
		if wide.declared != narrow.declared {
			t.Errorf("%s: lateness moves the prediction itself: %+v, %+v", s, narrow.declared, wide.declared)
		}
		d := wide.declared
		if !(wide.low.fallback < d.fallback && d.fallback < wide.high.fallback && d.seconds < wide.high.seconds) {
			t.Errorf("%s: late clocks spread %+v", s, wide)
		}
	}
}
