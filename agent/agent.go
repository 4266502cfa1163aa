package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timeout-auditor/timeout-auditor/agent/notify"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// Options are what an Agent is made of.
type Options struct {
	Load       func() (*config.Config, error) // reads and validates the configuration
	Connect    func(config.Prometheus) (Observer, error)
	Logger     *slog.Logger
	Registerer prometheus.Registerer

	// Read returns the content of the configuration file, for ReloadOnChange.
	Read func() ([]byte, error)

	// Jitter, 0 to 1, spreads the scheduled starts of several auditors: each
	// cycle starts that share of maxJitter after its time.
	Jitter float64

	// Notify says how to word what is pushed to Alertmanagers. Its logger and
	// registerer are those above.
	Notify notify.Options
}

// setup is one configuration in force, swapped as a whole.
type setup struct {
	config   *config.Config
	observer Observer
	notify   *notify.Plan
}

// Agent runs the cycles of a daemon. Its methods are safe for concurrent use.
type Agent struct {
	options    Options
	instrument *instrument
	notifier   *notify.Notifier
	current    atomic.Pointer[setup]
	report     atomic.Pointer[report.Report]
	reloading  sync.Mutex  // guards the next three
	tried      fingerprint // of the file that was last loaded, or failed to
	refused    string      // why it failed to, "" if it did not
	refusedAt  time.Time   // since when it does
	reloaded   chan struct{}
	asked      *setup    // by the last cycle
	replayed   bool      // the past before the start has been looked at
	answered   time.Time // when Prometheus last answered for any dependency
	histories  histories
	changes    changes

	backtesting sync.Mutex // held while a page's backtest runs
}

// New loads the configuration and builds an agent, which does nothing before
// Run. The error is the configuration's.
func New(o Options) (*Agent, error) {
	o.Notify.Logger, o.Notify.Registerer = o.Logger, o.Registerer
	a := &Agent{
		options: o, instrument: newInstrument(o.Registerer), notifier: notify.New(o.Notify), reloaded: make(chan struct{}, 1),
		histories: histories{},
	}
	next, err := a.build()
	if err != nil {
		return nil, err
	}
	a.adopt(next)
	return a, nil
}

// Report returns the newest report, nil before the first cycle has ended.
func (a *Agent) Report() *report.Report { return a.report.Load() }

// Config returns the configuration in force.
func (a *Agent) Config() *config.Config { return a.current.Load().config }

// Refused says why the newest configuration is not in force; nil: it is.
func (a *Agent) Refused() error {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	if a.refused == "" {
		return nil
	}
	return errors.New(a.refused)
}

// Reload reads the configuration again and starts a cycle with it. When that
// fails the one before stays in force, and the error says what is wrong.
func (a *Agent) Reload() error { return a.reload(true) }

// reload is Reload; a failure that nobody asked for is logged once.
func (a *Agent) reload(asked bool) error {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	next, err := a.build()
	if err != nil {
		a.instrument.reloadFailed()
		if asked || err.Error() != a.refused {
			a.options.Logger.Error("Configuration reload failed, the one before stays in force", "err", err)
		}
		if a.refused == "" {
			a.refusedAt = time.Now()
		}
		a.refused = err.Error()
		return err
	}
	a.refused = ""
	a.adopt(next)
	a.options.Logger.Info("Configuration reloaded", "dependencies", len(next.config.Dependencies))
	select {
	case a.reloaded <- struct{}{}:
	default:
	}
	return nil
}

// build reads the configuration and makes it ready. The file may change while
// it is read, so its fingerprint is taken before: the change is seen later.
func (a *Agent) build() (*setup, error) {
	a.tried = a.look()
	c, err := a.options.Load()
	if err != nil {
		return nil, err
	}
	observer, err := a.options.Connect(c.Prometheus)
	if err != nil {
		return nil, fmt.Errorf("set up the client of %s: %w", c.Prometheus.URL, err)
	}
	plan, err := notify.NewPlan(c, a.options.Notify.UserAgent)
	if err != nil {
		return nil, err
	}
	return &setup{config: c, observer: observer, notify: plan}, nil
}

func (a *Agent) adopt(next *setup) {
	a.current.Store(next)
	a.notifier.Adopt(next.notify)
	a.instrument.reloadSucceeded(time.Now())
}

// leave closes the connections of a setup that cycles used before now's.
func (a *Agent) leave(now *setup) {
	if a.asked != nil && a.asked != now {
		if idle, able := a.asked.observer.(interface{ CloseIdleConnections() }); able {
			idle.CloseIdleConnections()
		}
	}
	a.asked = now
}

// cycle runs one audit and publishes its report, unless ctx ends first: a
// cycle cut short at shutdown would call what it did not ask about failed.
func (a *Agent) cycle(ctx context.Context) {
	now, previous := a.current.Load(), a.report.Load()
	a.leave(now)
	if !a.replayed {
		if last, found := now.replay(ctx, time.Now()); last != nil {
			previous, a.replayed = last, true
			for _, findings := range found {
				a.notifier.Recall(findings)
			}
		}
	}
	bounded, done := now.budget(ctx)
	defer done()
	at := time.Now()
	next := Cycle(bounded, now.config, now.observer, Moment{At: at, Previous: previous, Histories: a.histories.known(at)})
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	if bounded.Err() != nil {
		a.instrument.cutShort()
	}
	a.report.Store(next)
	a.notifier.Publish(next, a.troubles(next)...)
	a.instrument.cycleEnded(next, time.Now())
	a.changes.log(a.options.Logger, next)
}
