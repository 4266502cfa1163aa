package agent_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// historian answers about the past as pastObserver does about the present: for
// every dependency, and for those named in slow with a share above the timeout.
type historian struct {
	noTemplates

	slow map[string]float64
	err  error

	mu     *sync.Mutex
	looked map[string][]time.Time // when the past of a dependency was asked for
	most   int                    // samples that were allowed
}

func newHistorian(slow map[string]float64) *historian {
	return &historian{slow: slow, mu: &sync.Mutex{}, looked: map[string][]time.Time{}}
}

func (h *historian) one(dep config.Dependency, at time.Time) promquery.Result {
	return pastObserver{share: func(time.Time) (float64, bool) { return h.slow[dep.Name], true }}.Observe(context.Background(), nil, at)[0]
}

func (h *historian) ObserveEach(ctx context.Context, deps []config.Dependency, at time.Time, each func(i int, r promquery.Result)) {
	for i, r := range h.Observe(ctx, deps, at) {
		each(i, r)
	}
}

func (h *historian) Observe(_ context.Context, deps []config.Dependency, at time.Time) []promquery.Result {
	var results []promquery.Result
	for _, dep := range deps {
		results = append(results, h.one(dep, at))
	}
	return results
}

func (h *historian) Histories(_ context.Context, deps []config.Dependency, o promquery.HistoryOptions, each func(i int, steps []promquery.Result)) {
	for i, dep := range deps {
		h.mu.Lock()
		h.looked[dep.Name] = append(h.looked[dep.Name], time.Now())
		h.most = int(o.MaxSamples)
		h.mu.Unlock()
		var steps []promquery.Result
		for step := range o.Steps {
			r := h.one(dep, o.End.Add(-time.Duration(o.Steps-1-step)*o.Step))
			r.Err = h.err
			steps = append(steps, r)
		}
		each(i, steps)
	}
}

func (h *historian) counts() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	counts := map[string]int{}
	for name, times := range h.looked {
		counts[name] = len(times)
	}
	return counts
}

func withPast(t *testing.T, names ...string) *config.Config {
	t.Helper()
	c := withTimeout(t)
	dep := c.Dependencies[0]
	dep.TargetFalseTimeoutRatio, dep.Headroom, dep.MaxStep = 0.01, 0.1, 2
	c.Dependencies, c.History = nil, 7*24*time.Hour
	for _, name := range names {
		dep.Name = name
		c.Dependencies = append(c.Dependencies, dep)
	}
	return c
}

func TestRecommendationRestsOnThePastOnceItIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, stop := start(t, options(withPast(t, "a"), newHistorian(nil)))
		defer stop()
		why := func() string { return a.Report().Dependencies[0].Recommendation.Why }
		time.Sleep(10 * time.Second)
		if got := why(); !strings.Contains(got, "of the last 1h alone") {
			t.Errorf("at first: %q", got)
		}
		time.Sleep(time.Minute)
		if got := why(); !strings.Contains(got, "of the last 7d") {
			t.Errorf("a minute later: %q", got)
		}
	})
}

func TestThePastIsAskedForOnceAnHourAndAFewAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := make([]string, 10)
		for i := range names {
			names[i] = fmt.Sprint("dep-", i)
		}
		h := newHistorian(map[string]float64{"dep-7": 0.5, "dep-8": 0.5})
		_, stop := start(t, options(withPast(t, names...), h))
		defer stop()
		time.Sleep(90 * time.Second) // two cycles
		if counts := h.counts(); len(counts) != 4 || counts["dep-7"] != 1 || counts["dep-8"] != 1 {
			t.Errorf("after two cycles: %v, want those with findings first, and one other in each cycle", counts)
		}
		time.Sleep(58 * time.Minute)
		if counts := h.counts(); len(counts) != 10 || counts["dep-7"] != 1 || counts["dep-0"] != 1 {
			t.Errorf("after an hour: %v, want each once", counts)
		}
		time.Sleep(10 * time.Minute)
		if counts := h.counts(); counts["dep-7"] != 2 || counts["dep-0"] != 2 {
			t.Errorf("after an hour and ten minutes: %v, want each twice", counts)
		}
		if h.most <= 0 {
			t.Error("the samples of one look are not bounded")
		}
	})
}

func TestWhereNotAllCanBeLookedAtInADayOnlyWarningsAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := withPast(t, "a", "b", "c")
		c.Schedule.Gap = 12 * time.Hour
		h := newHistorian(map[string]float64{"c": 0.5})
		_, stop := start(t, options(c, h))
		defer stop()
		time.Sleep(5 * time.Minute)
		if counts := h.counts(); !maps.Equal(counts, map[string]int{"c": 1}) {
			t.Errorf("asked for %v, want the one with a warning", counts)
		}
	})
}

func TestThePastIsAskedForAgainSoonerAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistorian(nil)
		h.err = &promquery.Error{Kind: promquery.KindTimeout, Message: "too slow"}
		a, stop := start(t, options(withPast(t, "a"), h))
		defer stop()
		time.Sleep(21 * time.Minute)
		if n := h.counts()["a"]; n < 4 || n > 5 {
			t.Errorf("asked %d times in 21 minutes, want every 5 minutes", n)
		}
		if a.Report().Dependencies[0].History != nil {
			t.Error("a past of which nothing was answered is known")
		}
	})
}

func TestThePastIsNotAskedForWhereItIsSwitchedOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := withPast(t, "a")
		c.History = 0
		h := newHistorian(nil)
		_, stop := start(t, options(c, h))
		defer stop()
		time.Sleep(5 * time.Minute)
		if counts := h.counts(); len(counts) != 0 {
			t.Errorf("asked for %v", counts)
		}
	})
}

func TestBacktestJudgesEveryDependencyAndSaysHowFarItIs(t *testing.T) {
	c := withPast(t, "fast", "slow")
	h := newHistorian(map[string]float64{"slow": 0.5})
	b := agent.Backtest(t.Context(), c, h, agent.BacktestOptions{End: time.Unix(1767225600, 0), Step: 30 * time.Minute, Steps: 4})
	if len(b.Dependencies) != 2 || b.Dependencies[0].Declared.Below != 4 || b.Dependencies[1].Declared.Above != 4 {
		t.Errorf("%+v", b.Dependencies)
	}
	if b.Until.Sub(b.Since) != 2*time.Hour || b.Step != 30*time.Minute {
		t.Errorf("from %v to %v in steps of %v", b.Since, b.Until, b.Step)
	}
	if known := agent.Histories(t.Context(), c, h, time.Unix(1767225600, 0)); len(known) != 2 || known["slow"].Steps != 168 {
		t.Errorf("histories %+v", known)
	}
}

func TestAPageAsksForThePastOfOneDependency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistorian(map[string]float64{"slow": 0.2})
		c := withPast(t, "slow", "fast")
		a, stop := start(t, agent.Options{
			Load:    func() (*config.Config, error) { return c, nil },
			Connect: func(config.Prometheus) (agent.Observer, error) { return h, nil },
		})
		defer stop()
		synctest.Wait()
		past, err := a.PageBacktest(t.Context(), "slow")
		if err != nil || len(past.Dependencies) != 1 || past.Dependencies[0].Dependency.Name != "slow" || past.Dependencies[0].Declared.Judged() != 7*24 {
			t.Errorf("%+v, %v", past, err)
		}
		if _, err := a.PageBacktest(t.Context(), "nobody"); err == nil {
			t.Error("a dependency that is not audited has a past")
		}
	})
}
