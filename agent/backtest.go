package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// Historian asks a metrics server about the past of dependencies.
// promquery.Client is the real one.
type Historian interface {
	Histories(ctx context.Context, deps []config.Dependency, o promquery.HistoryOptions, each func(i int, steps []promquery.Result))
}

// BacktestOptions say which past is judged: Steps windows of length Step up to
// End, and which timeouts in seconds beside the declared ones.
type BacktestOptions struct {
	End      time.Time
	Step     time.Duration
	Steps    int
	Timeouts []float64

	// Progress is called with how many windows of all dependencies are done, and
	// of how many, one call at a time. It may be nil.
	Progress func(done, total int)
}

// Backtest judges the past of every dependency.
func Backtest(ctx context.Context, c *config.Config, h Historian, o BacktestOptions) *report.Backtests {
	results := make([]audit.Backtest, len(c.Dependencies))
	h.Histories(ctx, c.Dependencies, promquery.HistoryOptions{
		End: o.End, Step: o.Step, Steps: o.Steps, Progress: o.progress(len(c.Dependencies) * o.Steps),
	}, func(i int, steps []promquery.Result) {
		results[i] = audit.AssessBacktest(&c.Dependencies[i], past(c.Dependencies[i], steps), audit.BacktestOptions{Timeouts: o.Timeouts})
	})
	return report.BuildBacktests(report.Backtests{
		Since: o.End.Add(-time.Duration(o.Steps) * o.Step), Until: o.End, Step: o.Step,
	}, results, c.Rules)
}

func (o BacktestOptions) progress(total int) func(steps int) {
	if o.Progress == nil {
		return nil
	}
	var (
		lock sync.Mutex
		done int
	)
	return func(steps int) {
		lock.Lock()
		defer lock.Unlock()
		done += steps
		o.Progress(done, total)
	}
}

// past makes the audit's inputs of the windows of one dependency.
func past(dep config.Dependency, steps []promquery.Result) []audit.Input {
	inputs := make([]audit.Input, len(steps))
	for i, step := range steps {
		of := dep
		of.Window = step.Observation.Window
		inputs[i] = input(&of, step, step.Observation.At)
	}
	return inputs
}

// Of a page, so that many readers do not ask for many weeks at once.
const (
	pageBacktestTime = 20 * time.Second
	pageBacktestStep = time.Hour
)

// Errors of a backtest that a page asks for.
var (
	errNoPast    = errors.New("what is observed has no past")
	errNotKnown  = errors.New("no such dependency in the last cycle")
	errOneAtTime = errors.New("another backtest is running: try again in some seconds")
)

// PageBacktest judges the past of one dependency of the last cycle, as far back
// as the configuration's history says, hour by hour. One runs at a time.
func (a *Agent) PageBacktest(ctx context.Context, dependency string) (*report.Backtests, error) {
	current, latest := a.current.Load(), a.report.Load()
	historian, able := current.observer.(Historian)
	if !able || latest == nil || current.config.History < pageBacktestStep {
		return nil, errNoPast
	}
	c := *audited(current.config, latest)
	c.Dependencies = slices.DeleteFunc(slices.Clone(c.Dependencies), func(d config.Dependency) bool { return d.Name != dependency })
	if len(c.Dependencies) == 0 {
		return nil, errNotKnown
	}
	if !a.backtesting.TryLock() {
		return nil, errOneAtTime
	}
	defer a.backtesting.Unlock()
	ctx, cancel := context.WithTimeout(ctx, pageBacktestTime)
	defer cancel()
	return Backtest(ctx, &c, historian, BacktestOptions{
		End: time.Now().UTC().Truncate(pageBacktestStep), Step: pageBacktestStep, Steps: int(c.History / pageBacktestStep),
	}), nil
}
