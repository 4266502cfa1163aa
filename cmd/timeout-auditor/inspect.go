package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/exposition"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// inspectFlags are the flags of inspect.
type inspectFlags struct {
	declared             declaredFlags
	output, failOn, file string
}

func inspectCommand(app *kingpin.Application) action {
	command := app.Command("inspect", "Audit a histogram in a text or OpenMetrics exposition, without a server.")
	flags := inspectFlags{declared: declareFlags(command)}
	outputFlag(command, &flags.output)
	failOnFlag(command, &flags.failOn)
	command.Arg("file", "What a process serves at /metrics; - is stdin.").Required().StringVar(&flags.file)
	return func(_ context.Context, c console) int { return runInspect(flags, c) }
}

func runInspect(flags inspectFlags, c console) int {
	dep, err := flags.declared.dependency()
	if err != nil {
		fmt.Fprintln(c.stderr, err)
		return exitUsage
	}
	file, name, err := openExposition(flags.file, c.stdin)
	if err != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
		return exitUsage
	}
	defer file.Close()
	served, err := exposition.Read(file, name)
	if err != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
		return exitFailed
	}
	if err := flags.declared.settleUnit(&dep, served); err != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: %s:%v\n", name, err)
		return exitUsage
	}
	in := audit.Input{Dependency: &dep, At: time.Now()}
	in.Observation, err = served.Observe(exposition.Selection{
		Metric: dep.Latency.Histogram, Matchers: dep.Latency.Matchers, UnitScale: dep.Latency.UnitScale,
	})
	if err != nil {
		in.Failure = unobserved(err)
	}
	r := inspected(in, flags.declared.unasked())
	if err := writeReport(c.stdout, r, flags.output); err != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: write the report: %v\n", err)
		return exitFailed
	}
	return exitOf(r, flags.failOn)
}

// openExposition returns the input and what to call it. Kingpin hands on a lone
// - as empty text.
func openExposition(file string, stdin io.Reader) (io.ReadCloser, string, error) {
	if file == "-" || file == "" {
		return io.NopCloser(stdin), "stdin", nil
	}
	opened, err := os.Open(file)
	return opened, file, err
}

// unobserved is what the report says in place of figures, with the status that
// audit gives to such an answer of Prometheus.
func unobserved(err error) *audit.Failure {
	failure := audit.Failure{Status: latency.StatusNoData, Message: err.Error()}
	var e *exposition.Error
	if errors.As(err, &e) {
		failure.Reason = e.Reason
	}
	return &failure
}

// inspected is the report on one dependency without a past.
func inspected(in audit.Input, overrides map[string]config.Rule) *report.Report {
	assessments := []*audit.Assessment{audit.Assess(in)}
	findings, _ := rules.Judge(rules.Subjects{Dependencies: assessments}, rules.Memory{},
		rules.Options{Now: in.At, HoldFor: time.Hour, Overrides: overrides})
	return report.Build(report.Cycle{
		At: in.At, StaleAfter: time.Hour, Assessments: assessments, Findings: findings,
	}, nil)
}
