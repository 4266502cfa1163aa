package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// backtestFlags are the flags of the backtest command.
type backtestFlags struct {
	shot                        oneShot
	since, step, output, failOn string
	timeouts                    []string
}

func backtestCommand(app *kingpin.Application) action {
	var flags backtestFlags
	command := app.Command("backtest", "Judge the past window by window: would the declared timeout have held, and which one would?")
	configFile := configFlag(command)
	command.Flag("since", "How much of the past.").Default("7d").StringVar(&flags.since)
	command.Flag("step", "Length of one window.").Default("1h").StringVar(&flags.step)
	command.Flag("timeout", "Another timeout to judge, repeatable; without any, those around the declared one.").StringsVar(&flags.timeouts)
	outputFlag(command, &flags.output)
	failOnFlag(command, &flags.failOn)
	command.Flag("time", "Look back from this moment (RFC 3339 or Unix seconds) instead of now.").StringVar(&flags.shot.time)
	command.Arg("dependency", "Names of dependencies; all without any.").HintAction(dependencyHints(configFile)).StringsVar(&flags.shot.dependencies)
	return func(ctx context.Context, c console) int {
		flags.shot.config = *configFile
		return runBacktest(ctx, flags, c)
	}
}

func runBacktest(ctx context.Context, flags backtestFlags, c console) int {
	options, err := flags.options()
	if err != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
		return exitUsage
	}
	ready, ok := prepare(ctx, flags.shot, c)
	if !ok {
		return exitUsage
	}
	all, notFound := agent.Expanded(ctx, ready.config, ready.client, ready.at)
	if notFound != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", notFound)
	}
	ready.config = all
	options.End = ready.at.UTC().Truncate(options.Step)
	options.Progress = progressTo(c.stderr, time.Now)
	result := agent.Backtest(ctx, ready.config, ready.client, options)
	if ctx.Err() != nil {
		fmt.Fprintln(c.stderr, "timeout-auditor: stopped before the past was read")
		return exitFailed
	}
	if err := writeBacktests(c.stdout, result, flags.output); err != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: write the backtest: %v\n", err)
		return exitFailed
	}
	code := exitOf(result, flags.failOn)
	if notFound != nil && code == exitOK {
		return exitFailed // of what was not found nothing is known
	}
	return code
}

const (
	leastStep = time.Minute
	mostSteps = 10_000
)

func (f backtestFlags) options() (agent.BacktestOptions, error) {
	var o agent.BacktestOptions
	since, err := lengthFlag("since", f.since)
	if err != nil {
		return o, err
	}
	if o.Step, err = lengthFlag("step", f.step); err != nil {
		return o, err
	}
	o.Steps = int(since / o.Step)
	switch {
	case o.Step < leastStep:
		return o, fmt.Errorf("--step: must be at least %s, got %q", model.Duration(leastStep), f.step)
	case o.Steps < 1:
		return o, fmt.Errorf("--since: must be at least --step, %s, got %q", f.step, f.since)
	case o.Steps > mostSteps:
		return o, fmt.Errorf("--step: %s in steps of %s are %d windows; at most %d, so choose a longer step", f.since, f.step, o.Steps, mostSteps)
	}
	for _, text := range f.timeouts {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return o, fmt.Errorf("--timeout: must be a duration above 0 such as 250ms, got %q", text)
		}
		o.Timeouts = append(o.Timeouts, d.Seconds())
	}
	return o, nil
}

// lengthFlag reads a length of time as Prometheus spells it.
func lengthFlag(name, text string) (time.Duration, error) {
	d, err := model.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("--%s: must be a duration above 0 such as 7d or 1h, got %q", name, text)
	}
	return time.Duration(d), nil
}

// progressEvery is how often long work says how far it is. Shorter work says
// nothing.
const progressEvery = 2 * time.Second

func progressTo(w io.Writer, now func() time.Time) func(done, total int) {
	said := now()
	return func(done, total int) {
		if at := now(); at.Sub(said) >= progressEvery && done < total {
			said = at
			fmt.Fprintf(w, "backtest: %d of %d windows (%d%%)\n", done, total, 100*done/total)
		}
	}
}

func writeBacktests(w io.Writer, b *report.Backtests, output string) error {
	switch output {
	case "json":
		return b.WriteJSON(w)
	case "markdown":
		return b.WriteMarkdown(w)
	}
	return b.WriteText(w)
}
