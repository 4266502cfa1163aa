package agent_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/robfig/cron/v3"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// slowObserver answers nothing about anything, after a while, and remembers
// when it was asked about the present. About the past it answers at once.
type slowObserver struct {
	noTemplates

	takes time.Duration
	err   error

	mu    sync.Mutex
	asked []time.Time
	busy  bool
	lapse bool // two cycles ran at once
}

func (o *slowObserver) ObserveEach(ctx context.Context, deps []config.Dependency, at time.Time, each func(i int, r promquery.Result)) {
	for i, r := range o.Observe(ctx, deps, at) {
		each(i, r)
	}
}

func (o *slowObserver) Observe(ctx context.Context, deps []config.Dependency, at time.Time) []promquery.Result {
	if at.Before(time.Now()) {
		return o.results(deps)
	}
	o.mu.Lock()
	o.asked = append(o.asked, at)
	o.lapse = o.lapse || o.busy
	o.busy = true
	o.mu.Unlock()
	select {
	case <-time.After(o.takes):
	case <-ctx.Done():
	}
	o.mu.Lock()
	o.busy = false
	o.mu.Unlock()
	return o.results(deps)
}

func (o *slowObserver) results(deps []config.Dependency) []promquery.Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	results := make([]promquery.Result, len(deps))
	for i := range results {
		results[i].Err = o.err
	}
	return results
}

func (o *slowObserver) times() []time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]time.Time(nil), o.asked...)
}

var errNothing = &promquery.Error{Kind: promquery.KindNoData, Message: "no such series"}

func everyMinute(t *testing.T, names ...string) *config.Config {
	t.Helper()
	schedule, err := cron.ParseStandard("@every 1m")
	if err != nil {
		t.Fatal(err)
	}
	c := &config.Config{
		Schedule:   config.Schedule{Spec: "@every 1m", Schedule: schedule, Gap: time.Minute},
		StaleAfter: 5 * time.Minute, HoldFor: time.Hour,
	}
	for _, name := range names {
		c.Dependencies = append(c.Dependencies, config.Dependency{Name: name, Window: time.Hour})
	}
	return c
}

// start runs an agent inside a synctest bubble and returns what ends it.
func start(t *testing.T, o agent.Options) (a *agent.Agent, stop func()) {
	t.Helper()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Registerer == nil {
		o.Registerer = prometheus.NewRegistry()
	}
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		a.Run(ctx)
		close(ended)
	}()
	return a, func() {
		cancel()
		<-ended
	}
}

func options(c *config.Config, o agent.Observer) agent.Options {
	return agent.Options{
		Load:    func() (*config.Config, error) { return c, nil },
		Connect: func(config.Prometheus) (agent.Observer, error) { return o, nil },
	}
}

func TestCyclesKeepTheSchedulesPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &slowObserver{takes: 10 * time.Second, err: errNothing}
		began := time.Now()
		_, stop := start(t, options(everyMinute(t, "a"), observer))
		time.Sleep(3*time.Minute + time.Second)
		stop()
		for i, at := range observer.times() {
			if want := began.Add(time.Duration(i) * time.Minute); !at.Equal(want) {
				t.Errorf("cycle %d asked at %v, want %v", i, at.Sub(began), want.Sub(began))
			}
		}
		if n := len(observer.times()); n != 4 {
			t.Errorf("%d cycles in three minutes, want 4: at once and at each minute", n)
		}
	})
}

func TestSlowCyclesNeverOverlapAndMissedOnesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		observer := &slowObserver{takes: 150 * time.Second, err: errNothing}
		o := options(everyMinute(t, "a"), observer)
		o.Registerer = registry
		_, stop := start(t, o)
		time.Sleep(6*time.Minute + 30*time.Second)
		stop()
		if observer.lapse {
			t.Error("two cycles ran at the same time")
		}
		// Cycles run 0:00-2:30, 3:00-5:30, and from 6:00: minutes 1, 2, 4, 5 pass.
		want := "# HELP timeout_auditor_cycles_missed_total Scheduled cycles that did not start because the one before was still running.\n" +
			"# TYPE timeout_auditor_cycles_missed_total counter\ntimeout_auditor_cycles_missed_total 4\n"
		if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "timeout_auditor_cycles_missed_total"); err != nil {
			t.Error(err)
		}
	})
}

func TestCycleThatTakesTooLongReportsWhatItHasAndIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		c := everyMinute(t, "a")
		c.StaleAfter = 5 * time.Minute
		o := options(c, &slowObserver{takes: time.Hour, err: errNothing})
		o.Registerer = registry
		a, stop := start(t, o)
		time.Sleep(4*time.Minute + time.Second) // the figures before are stale a minute later
		if a.Report() == nil {
			t.Error("no report while a query is slow")
		}
		stop()
		want := "# HELP timeout_auditor_cycles_cut_short_total Cycles that ran out of time before every query was answered; they report what they have.\n" +
			"# TYPE timeout_auditor_cycles_cut_short_total counter\ntimeout_auditor_cycles_cut_short_total 1\n"
		if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "timeout_auditor_cycles_cut_short_total"); err != nil {
			t.Error(err)
		}
	})
}

func TestJitterDelaysEveryScheduledCycleButTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &slowObserver{err: errNothing}
		o := options(everyMinute(t, "a"), observer)
		o.Jitter = 0.5 // of a tenth of a minute
		began := time.Now()
		_, stop := start(t, o)
		time.Sleep(2*time.Minute + 30*time.Second)
		stop()
		for i, want := range []time.Duration{0, 63 * time.Second, 123 * time.Second} {
			if got := observer.times()[i].Sub(began); got != want {
				t.Errorf("cycle %d started after %v, want %v", i, got, want)
			}
		}
	})
}

func TestReloadAuditsAtOnceUnderTheNewConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &slowObserver{err: errNothing}
		c := everyMinute(t, "a")
		o := options(nil, observer)
		o.Load = func() (*config.Config, error) { return c, nil }
		a, stop := start(t, o)
		time.Sleep(10 * time.Second)
		c = everyMinute(t, "b", "c")
		if err := a.Reload(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := len(a.Report().Dependencies); got != 2 {
			t.Errorf("the report has %d dependencies right after the reload, want the new 2", got)
		}
		stop()
	})
}

func TestFailedReloadKeepsWhatRunsAndShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		observer := &slowObserver{err: errNothing}
		c, broken := everyMinute(t, "a"), errors.New("config.yaml:3: unknown key")
		var loadErr error
		var log strings.Builder
		o := options(nil, observer)
		o.Load = func() (*config.Config, error) { return c, loadErr }
		o.Registerer, o.Logger = registry, slog.New(slog.NewTextHandler(&log, nil))
		a, stop := start(t, o)
		time.Sleep(10 * time.Second)
		loadErr = broken
		if err := a.Reload(); !errors.Is(err, broken) {
			t.Errorf("Reload returned %v, want %v", err, broken)
		}
		time.Sleep(2 * time.Minute)
		stop()
		if got := a.Report().Dependencies[0].Dependency.Name; got != "a" {
			t.Errorf("dependency %q is audited, want the one before the reload", got)
		}
		if n := len(observer.times()); n != 3 {
			t.Errorf("%d cycles, want 3: the schedule goes on", n)
		}
		if got := gauge(t, registry, "timeout_auditor_config_last_reload_successful"); got != 0 {
			t.Errorf("config_last_reload_successful is %v, want 0", got)
		}
		if !strings.Contains(log.String(), "unknown key") {
			t.Errorf("the log does not say what is wrong:\n%s", log.String())
		}
	})
}

func TestFailingPrometheusIsLoggedOnceAndItsReturnToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		var log strings.Builder
		observer := &slowObserver{err: &promquery.Error{Kind: promquery.KindUnreachable, Message: "connection refused"}}
		o := options(everyMinute(t, "a", "b"), observer)
		o.Registerer, o.Logger = registry, slog.New(slog.NewTextHandler(&log, nil))
		_, stop := start(t, o)
		time.Sleep(5*time.Minute + time.Second)
		if got := gauge(t, registry, "timeout_auditor_last_success_timestamp_seconds"); got != 0 {
			t.Errorf("last success is %v although no cycle succeeded", got)
		}
		observer.mu.Lock()
		observer.err = errNothing
		observer.mu.Unlock()
		time.Sleep(5 * time.Minute)
		stop()
		if n := strings.Count(log.String(), "connection refused"); n != 1 {
			t.Errorf("the failure is logged %d times, want once:\n%s", n, log.String())
		}
		if n := strings.Count(log.String(), "answered again"); n != 1 {
			t.Errorf("the return is logged %d times, want once:\n%s", n, log.String())
		}
		if got := gauge(t, registry, "timeout_auditor_last_success_timestamp_seconds"); got == 0 {
			t.Error("last success is 0 although no data is an answer")
		}
	})
}

func TestShutdownMidCyclePublishesNothingHalfDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &slowObserver{takes: 30 * time.Second, err: errNothing}
		a, stop := start(t, options(everyMinute(t, "a"), observer))
		time.Sleep(40 * time.Second)
		first := a.Report()
		time.Sleep(30 * time.Second) // inside the second cycle
		stop()
		if a.Report() != first {
			t.Error("a cycle cut short replaced the report before it")
		}
	})
}

func gauge(t *testing.T, g prometheus.Gatherer, name string) float64 {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("no metric is named %s", name)
	return 0
}
