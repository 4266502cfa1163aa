package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// auditFlags are the flags of the audit command.
type auditFlags struct {
	shot           oneShot
	output, failOn string
}

func auditCommand(app *kingpin.Application) action {
	var flags auditFlags
	command := app.Command("audit", "Run one audit cycle now and print the report.")
	configFile := configFlag(command)
	outputFlag(command, &flags.output)
	failOnFlag(command, &flags.failOn)
	command.Flag("time", "Audit as of this moment (RFC 3339 or Unix seconds) instead of now.").StringVar(&flags.shot.time)
	historyFlag(command, &flags.shot)
	command.Arg("dependency", "Names of dependencies to audit; all without any.").HintAction(dependencyHints(configFile)).StringsVar(&flags.shot.dependencies)
	return func(ctx context.Context, c console) int {
		flags.shot.config = *configFile
		return runAudit(ctx, flags, c)
	}
}

func runAudit(ctx context.Context, flags auditFlags, c console) int {
	result, ok := cycleOnce(ctx, flags.shot, c)
	if !ok {
		return exitUsage
	}
	if err := writeReport(c.stdout, result, flags.output); err != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: write the report: %v\n", err)
		return exitFailed
	}
	return exitOf(result, flags.failOn)
}

// oneShot is what a command that runs a single cycle is told.
type oneShot struct {
	config, time string
	dependencies []string // names; all without any
	history      bool     // look at the past too, as the daemon does
}

// historyFlag declares --history, which a single cycle does without unless asked:
// it may take minutes where there are many dependencies.
func historyFlag(command *kingpin.CmdClause, o *oneShot) {
	command.Flag("history", "Recommend from the past that the configuration's history names too, as the daemon does; takes longer.").BoolVar(&o.history)
}

// cycleOnce runs one cycle. ok is false when the configuration or a flag is
// wrong; what is has been printed then.
func cycleOnce(ctx context.Context, o oneShot, c console) (r *report.Report, ok bool) {
	ready, ok := prepare(ctx, o, c)
	if !ok {
		return nil, false
	}
	moment := agent.Moment{At: ready.at}
	if o.history {
		all, _ := agent.Expanded(ctx, ready.config, ready.client, ready.at) // the cycle says what was not found
		moment.Histories = agent.Histories(ctx, all, ready.client, ready.at)
	}
	return agent.Cycle(ctx, ready.config, ready.client, moment), true
}

// prepared is what a command needs to ask Prometheus once.
type prepared struct {
	config *config.Config
	client *promquery.Client
	at     time.Time
}

// prepare reads configuration and flags. ok is false when one of them is wrong;
// what is has been printed then.
func prepare(ctx context.Context, o oneShot, c console) (p prepared, ok bool) {
	cfg, ok := mustLoad(o.config, c.stderr)
	if !ok {
		return prepared{}, false
	}
	at, err := parseTime(o.time, time.Now())
	var client *promquery.Client
	if err == nil {
		client, err = promquery.New(promquery.Options{Prometheus: cfg.Prometheus, UserAgent: userAgent()})
	}
	if err == nil {
		cfg, err = only(ctx, cfg, client, selection{o.dependencies, at})
	}
	if err != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
		return prepared{}, false
	}
	return prepared{cfg, client, at}, true
}

// selection is the dependencies that a command is about; without names, all.
type selection struct {
	names []string
	at    time.Time
}

// only keeps the named dependencies, those that templates stand for among them.
// Chains go when some are left out: their hops would look unknown, although
// nobody asked about them.
func only(ctx context.Context, cfg *config.Config, client *promquery.Client, s selection) (*config.Config, error) {
	if len(s.names) == 0 {
		return cfg, nil
	}
	all, notFound := agent.Expanded(ctx, cfg, client, s.at)
	selected, err := selectDependencies(all.Dependencies, s.names)
	if err != nil {
		return nil, errors.Join(err, notFound)
	}
	kept := *all
	kept.Dependencies, kept.Chains = selected, nil
	return &kept, nil
}

// outputFlag and failOnFlag are the flags of every command that reports.
func outputFlag(command *kingpin.CmdClause, output *string) {
	command.Flag("output", "Form of the report.").Default("table").EnumVar(output, "table", "json", "markdown")
}

func failOnFlag(command *kingpin.CmdClause, failOn *string) {
	command.Flag("fail-on", "Exit with 1 when a finding is at least this severe.").Default("critical").
		EnumVar(failOn, "critical", "warning", "info", "never")
}

func writeReport(w io.Writer, r *report.Report, output string) error {
	switch output {
	case "json":
		return r.WriteJSON(w)
	case "markdown":
		return r.WriteMarkdown(w)
	}
	return r.WriteText(w)
}

// verdict is what a report comes to.
type verdict interface {
	Known() bool
	Worst() rules.Severity
}

// exitOf is the command's verdict. Knowing nothing is not "no findings".
func exitOf(r verdict, failOn string) int {
	switch {
	case !r.Known():
		return exitFailed
	case failOn != "never" && r.Worst().AtLeast(rules.Severity(failOn)):
		return exitFindings
	}
	return exitOK
}

// parseTime reads a moment the way promtool does; empty means now.
func parseTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now, nil
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 && seconds < 1e11 {
		return time.UnixMilli(int64(seconds * 1e3)), nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("--time: must be RFC 3339 (2026-01-02T15:04:05Z) or Unix seconds, got %q", text)
	}
	return at, nil
}

func selectDependencies(all []config.Dependency, names []string) ([]config.Dependency, error) {
	var selected []config.Dependency
	var unknown []error
	for _, name := range names {
		i := slices.IndexFunc(all, func(d config.Dependency) bool { return d.Name == name })
		if i < 0 {
			unknown = append(unknown, fmt.Errorf("no dependency is named %q, known are: %s", name, knownNames(all)))
			continue
		}
		selected = append(selected, all[i])
	}
	return selected, errors.Join(unknown...)
}

// knownNames lists the first names, enough to see a misspelling.
func knownNames(all []config.Dependency) string {
	const shown = 10
	var names []string
	for _, d := range all[:min(shown, len(all))] {
		names = append(names, d.Name)
	}
	if len(all) > shown {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}
