package loop

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

func check(t *testing.T, rows []Row) {
	t.Helper()
	for _, r := range rows {
		for name, m := range map[string]Measure{"fallback ratio": r.Fallback, "attempts per call": r.Attempts, "duration": r.Duration} {
			if !m.Inside {
				t.Errorf("%s: %s %.5f, predicted %.5f, may lie in %.5f to %.5f (late: %+v)",
					r.Policy, name, m.Measured, m.Predicted, m.Low, m.High, r.Late)
			}
		}
	}
}

// The same client, server and draws as in the real run, in a bubble where every
// timer is exact. The seed is fixed, and with it every outcome but the order in
// which calls ask a budget at the same moment. A change to the arithmetic of
// package retry that moves a figure by more than about four standard errors
// breaks it, and so does a change to the draws, once in twenty times: then look
// whether 100,000 calls bring the figure back.
func TestPredictionsHoldWhereClocksAreExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, err := Options{Calls: 2000, Seed: 1}.run(t.Context(), scenarios(), pipes(0))
		if err != nil {
			t.Fatal(err)
		}
		check(t, rows)
		for _, r := range rows {
			if r.Late != (Lateness{}) {
				t.Errorf("%s: late by %+v, in a bubble without a reason to be", r.Policy, r.Late)
			}
		}
	})
}

// Over sockets and with clocks as they are, the fates are still those of the
// seed, and lateness is allowed for as it is measured. What breaks this is a
// network that loses time only on attempts that get no reply, or a machine that
// stands still for seconds.
func TestPredictionsHoldOverSockets(t *testing.T) {
	var progress strings.Builder
	rows, err := Run(t.Context(), Options{Calls: 300, Seed: 1, Progress: &progress})
	if err != nil {
		t.Fatal(err)
	}
	check(t, rows)
	if len(rows) < 10 || len(rows) != len(scenarios()) {
		t.Errorf("%d rows for %d policies", len(rows), len(scenarios()))
	}
	if got := strings.Count(progress.String(), "\n"); got != len(rows) {
		t.Errorf("%d lines of progress for %d policies", got, len(rows))
	}
}

// Each case predicts for another policy or callee than the calls had.
func TestWrongPredictionsDoNotHold(t *testing.T) {
	base := func() scenario {
		return scenario{
			policy:  retry.Policy{Timeout: ms(250), Retries: 1, RetryOnTimeout: true},
			latency: usual(), errorRatio: .05, correlation: .5,
		}
	}
	var seen *observed
	synctest.Test(t, func(t *testing.T) {
		var err error
		if seen, err = (experiment{base(), 4000, 1, pipes(0)}).run(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if right, err := seen.compare(base()); err != nil || !right.Inside() {
		t.Errorf("the right prediction does not hold: %+v, %v", right, err)
	}
	for name, mistake := range map[string]func(s *scenario){
		"a retry too many":        func(s *scenario) { s.policy.Retries++ },
		"timeouts not retried":    func(s *scenario) { s.policy.RetryOnTimeout = false },
		"independent attempts":    func(s *scenario) { s.correlation = 0 },
		"a shared fate":           func(s *scenario) { s.correlation = 1 },
		"latency 15% shorter":     func(s *scenario) { s.latency.Mu -= .15 },
		"a thinner tail":          func(s *scenario) { s.latency.Sigma = .6 },
		"no errors":               func(s *scenario) { s.errorRatio = 0 },
		"a wait that is not made": func(s *scenario) { s.policy.Backoff.Initial = ms(150) },
		"a budget nobody keeps":   func(s *scenario) { b := .1; s.policy.Budget = &b },
		"a deadline nobody keeps": func(s *scenario) { s.policy.Deadline = ms(300) },
	} {
		t.Run(name, func(t *testing.T) {
			other := base()
			mistake(&other)
			wrong, err := seen.compare(other)
			if err != nil || wrong.Inside() {
				t.Errorf("a wrong prediction holds: %+v, %v", wrong, err)
			}
		})
	}
}

func TestLatenessOfTheNetworkIsMeasuredAndAllowedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 12 * time.Millisecond
		rows, err := Options{Calls: 1000, Seed: 1}.run(t.Context(), scenarios(), pipes(delay))
		if err != nil {
			t.Fatal(err)
		}
		check(t, rows)
		for _, r := range rows {
			if off := r.Late.Replies - delay.Seconds(); off < -1e-6 || off > 1e-6 {
				t.Errorf("%s: replies are late by %v s, want %v", r.Policy, r.Late.Replies, delay)
			}
		}
	})
}

func TestBusyMachineGetsMoreTimeAndNoVerdictIfThatIsNotEnough(t *testing.T) {
	patient := scenario{policy: retry.Policy{Timeout: 30}, latency: usual()}
	for name, c := range map[string]struct {
		delay time.Duration
		want  string // the row's policy; "" for none
	}{
		"quick":           {10 * time.Millisecond, "timeout 30s, no retries"},
		"late":            {60 * time.Millisecond, "timeout 120s, no retries"},
		"very late":       {350 * time.Millisecond, "timeout 480s, no retries"},
		"beyond all hope": {2 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rows, err := Options{Calls: 200}.run(t.Context(), []scenario{patient}, pipes(c.delay))
				if c.want == "" {
					if !errors.Is(err, ErrTooBusy) || rows != nil {
						t.Errorf("got %v, %v, want %v", rows, err, ErrTooBusy)
					}
					return
				}
				if err != nil || rows[0].Policy != c.want {
					t.Errorf("got %v, %v, want %q", rows, err, c.want)
				}
			})
		})
	}
}

func TestRunStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		rows, err := Options{Calls: 1_000_000}.run(ctx, scenarios(), pipes(0))
		if !errors.Is(err, context.Canceled) || rows != nil {
			t.Errorf("got %v, %v, want %v", rows, err, context.Canceled)
		}
	})
}

func TestRunRefusesWhatItCannotJudge(t *testing.T) {
	for name, c := range map[string]struct {
		calls    int
		scenario scenario
		want     string
	}{
		"too few calls":            {199, scenario{policy: retry.Policy{Timeout: 1}, latency: usual()}, "at least 200"},
		"no limit":                 {200, scenario{latency: usual()}, "a timeout or a deadline is needed"},
		"a policy that is none":    {200, scenario{policy: retry.Policy{Timeout: 1, Retries: -1}, latency: usual()}, "retries must be"},
		"a ratio that is none":     {200, scenario{policy: retry.Policy{Timeout: 1}, latency: usual(), errorRatio: 1.5}, "error ratio must be"},
		"a hedge that never comes": {200, scenario{policy: retry.Policy{Timeout: 1, HedgeAfter: 1}, latency: usual()}, "hedge is never sent"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Options{Calls: c.calls}.run(t.Context(), []scenario{c.scenario}, loopback)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestRunSaysWhichPolicyHadNoNetwork(t *testing.T) {
	broken := errors.New("no port is free")
	_, err := Options{Calls: 200}.run(t.Context(), scenarios()[:1], func(context.Context) (network, error) { return network{}, broken })
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), `"timeout 400ms, no retries"`) {
		t.Errorf("got %v", err)
	}
}
