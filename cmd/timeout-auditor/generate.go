package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules"
	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

// defaultStaleAfter is stale_after of a configuration that sets neither it nor
// a schedule.
const defaultStaleAfter = 5 * time.Minute

// runbookPages is where alerts and pages lead to unless told otherwise.
const runbookPages = "https://github.com/timeout-auditor/timeout-auditor/blob/main/docs/runbooks/"

func generateCommands(app *kingpin.Application) map[string]action {
	generate := app.Command("generate", "Print what belongs into other systems.")
	return map[string]action{
		"generate rules":           generateRulesCommand(generate),
		"generate recording-rules": generateRecordingRulesCommand(generate),
		"generate dashboard":       generateDashboardCommand(generate),
	}
}

func generateRulesCommand(generate *kingpin.CmdClause) action {
	command := generate.Command("rules", "Print the Prometheus alerting rules, and those that record figures per day.")
	file := command.Flag("config.file", "Take severities, thresholds and waiting times from this configuration.").String()
	runbooks, format := runbookFlag(command), ruleFormatFlag(command)
	externalURL := command.Flag("web.external-url", "The URL under which users reach the daemon: alerts link to its pages.").String()
	return func(_ context.Context, c console) int {
		var overrides map[string]config.Rule
		options := rules.AlertOptions{Runbooks: *runbooks, StaleAfter: defaultStaleAfter, Format: rulefile.Format(*format)}
		if *externalURL != "" {
			if _, err := parseExternalURL(*externalURL); err != nil {
				fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
				return exitUsage
			}
			options.Pages = strings.TrimSuffix(*externalURL, "/")
		}
		if *file != "" {
			cfg, ok := mustLoad(*file, c.stderr)
			if !ok {
				return exitUsage
			}
			overrides, options.StaleAfter = cfg.Rules, cfg.StaleAfter
		}
		if err := rules.Generate(c.stdout, overrides, options); err != nil {
			fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
			return exitFailed
		}
		return exitOK
	}
}

func runbookFlag(command *kingpin.CmdClause) *string {
	return command.Flag("runbook-url", "Where the runbook pages are.").
		Default(runbookPages).String()
}

func ruleFormatFlag(command *kingpin.CmdClause) *string {
	return command.Flag("format", "A rule file of Prometheus, or a PrometheusRule of the Prometheus Operator: "+strings.Join(rulefile.Formats(), ", ")+".").
		Default(rulefile.Formats()[0]).Enum(rulefile.Formats()...)
}
