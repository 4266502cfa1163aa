package main

import (
	"context"
	"fmt"
	"io"

	"github.com/alecthomas/kingpin/v2"

	"github.com/timeout-auditor/timeout-auditor/deploy/grafana"
)

func generateDashboardCommand(generate *kingpin.CmdClause) action {
	command := generate.Command("dashboard", "Print the Grafana dashboard, as JSON to import.")
	var options grafana.Options
	command.Flag("web.external-url", "Where users reach the auditor's pages, for links.").
		Default(grafana.DefaultAuditorURL).StringVar(&options.AuditorURL)
	command.Flag("runbook-url", "Where the runbook pages are.").
		Default(grafana.DefaultRunbookURL).StringVar(&options.RunbookURL)
	return func(_ context.Context, c console) int {
		text, err := grafana.Dashboard(options)
		if err != nil {
			fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
			return exitUsage
		}
		if _, err := io.WriteString(c.stdout, text); err != nil {
			fmt.Fprintf(c.stderr, "timeout-auditor: writing the dashboard: %v\n", err)
			return exitFailed
		}
		return exitOK
	}
}
