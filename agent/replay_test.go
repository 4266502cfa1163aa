package agent_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// pastObserver answers about one dependency with a timeout of 250 ms: each
// moment has the share of calls above it that share says, or no data.
type pastObserver struct {
	noTemplates

	share func(at time.Time) (above float64, known bool)
	down  func(now time.Time) bool
}

func (o pastObserver) ObserveEach(ctx context.Context, deps []config.Dependency, at time.Time, each func(i int, r promquery.Result)) {
	for i, r := range o.Observe(ctx, deps, at) {
		each(i, r)
	}
}

func (o pastObserver) Observe(_ context.Context, _ []config.Dependency, at time.Time) []promquery.Result {
	if o.down != nil && o.down(time.Now()) {
		return []promquery.Result{{Err: &promquery.Error{Kind: promquery.KindUnreachable, Message: "connection refused"}}}
	}
	share, known := o.share(at)
	if !known {
		return []promquery.Result{{Err: errNothing}}
	}
	const calls, parts = 12000, 12
	window := latency.Window{Scrapes: math.Inf(1)}
	for range parts {
		h, err := latency.FromCumulative([]float64{0.1, 0.25, 1}, []float64{calls / parts / 2, calls / parts * (1 - share), calls / parts, calls / parts})
		if err != nil {
			panic(err)
		}
		window.Parts = append(window.Parts, h)
	}
	return []promquery.Result{{Observation: latency.Observation{At: at, Window: time.Hour, Now: window}}}
}

func firstReport(t *testing.T, o agent.Observer) *report.Report {
	t.Helper()
	a, stop := start(t, options(withTimeout(t), o))
	time.Sleep(10 * time.Second)
	stop()
	return a.Report()
}

func withTimeout(t *testing.T) *config.Config {
	t.Helper()
	c := everyMinute(t, "a")
	c.Dependencies[0].Latency = config.Latency{Histogram: "x", UnitScale: 1, Scope: "attempt", Timeouts: "uncensored"}
	c.Dependencies[0].Policy = config.Policy{Timeout: 250 * time.Millisecond, Deadline: time.Second, RetryOnTimeout: true}
	return c
}

func stands(r *report.Report, rule string) bool {
	return slices.ContainsFunc(r.Dependencies[0].Findings, func(f rules.Finding) bool { return f.Rule == rule })
}

func TestRestartKeepsTheVerdictThatTheDataNoLongerDecide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		for name, tc := range map[string]struct {
			before, after float64
			want          bool
		}{
			"fired, now undecided":   {before: 0.05, after: 0.0105, want: true},
			"cleared, now undecided": {before: 0, after: 0.0105, want: false},
			"fired, now clear":       {before: 0.05, after: 0, want: false},
		} {
			r := firstReport(t, pastObserver{share: func(at time.Time) (float64, bool) {
				if at.Before(now) {
					return tc.before, true
				}
				return tc.after, true
			}})
			if got := stands(r, "timeout-below-p99"); got != tc.want {
				t.Errorf("%s: the finding stands %t, want %t", name, got, tc.want)
			}
			now = time.Now()
		}
	})
}

func TestRestartHoldsTheFindingOfADependencyThatVanished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		r := firstReport(t, pastObserver{share: func(at time.Time) (float64, bool) { return 0.05, at.Before(now.Add(-20 * time.Minute)) }})
		if !stands(r, "timeout-below-p99") {
			t.Errorf("findings %+v, want the one from 20 minutes ago held", r.Findings)
		}
	})
}

func TestPastIsReadWhenTheServerComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		o := pastObserver{
			share: func(at time.Time) (float64, bool) {
				if at.Before(began.Add(time.Second)) {
					return 0.05, true
				}
				return 0.0105, true
			},
			down: func(now time.Time) bool { return now.Before(began.Add(90 * time.Second)) },
		}
		a, stop := start(t, options(withTimeout(t), o))
		time.Sleep(10 * time.Second)
		if a.Report().Result() != report.Failure {
			t.Errorf("result %s while the server is down", a.Report().Result())
		}
		time.Sleep(2 * time.Minute)
		stop()
		if !stands(a.Report(), "timeout-below-p99") {
			t.Error("the verdict from before the outage is lost")
		}
	})
}
