package main

import (
	"context"
	"fmt"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

func explainCommand(app *kingpin.Application) action {
	command := app.Command("explain", "Derive the verdict on one dependency, step by step with the numbers filled in.")
	configFile := configFlag(command)
	moment := command.Flag("time", "Explain as of this moment (RFC 3339 or Unix seconds) instead of now.").String()
	name := command.Arg("dependency", "Name of the dependency.").Required().String()
	return func(ctx context.Context, c console) int {
		cfg, ok := mustLoad(*configFile, c.stderr)
		if !ok {
			return exitUsage
		}
		at, err := parseTime(*moment, time.Now())
		if err == nil {
			cfg.Dependencies, err = selectDependencies(cfg.Dependencies, []string{*name})
		}
		if err != nil {
			fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
			return exitUsage
		}
		client, err := promquery.New(promquery.Options{Prometheus: cfg.Prometheus, UserAgent: userAgent()})
		if err != nil {
			fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
			return exitUsage
		}
		result := agent.Cycle(ctx, cfg, client, agent.Moment{At: at})
		if err := result.Explain(c.stdout, *name); err != nil {
			fmt.Fprintf(c.stderr, "timeout-auditor: write the explanation: %v\n", err)
			return exitFailed
		}
		if !result.Known() {
			return exitFailed
		}
		return exitOK
	}
}
