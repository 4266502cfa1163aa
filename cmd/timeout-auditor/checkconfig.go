package main

import (
	"context"
	"fmt"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

func checkConfigCommand(app *kingpin.Application) action {
	command := app.Command("check-config", "Say everything that is wrong with configuration files.")
	online := command.Flag("online", "Also ask Prometheus whether every query returns series, and why not.").Bool()
	files := command.Arg("file", "Configuration files.").Required().Strings()
	return func(ctx context.Context, c console) int {
		code := exitOK
		for _, file := range *files {
			cfg, ok := mustLoad(file, c.stderr)
			if !ok {
				code = exitUsage
				continue
			}
			fmt.Fprintf(c.stdout, "%s: valid, %d dependencies, %d chains\n", file, len(cfg.Dependencies), len(cfg.Chains))
			if *online && !checkOnline(ctx, file, cfg, c) {
				code = exitUsage
			}
		}
		return code
	}
}

// checkOnline reports whether every dependency's series exist.
func checkOnline(ctx context.Context, file string, cfg *config.Config, c console) bool {
	client, err := promquery.New(promquery.Options{Prometheus: cfg.Prometheus, UserAgent: userAgent()})
	if err != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
		return false
	}
	found := true
	asked := agent.Asked(cfg.Dependencies)
	for i, result := range client.Check(ctx, asked, time.Now()) {
		if len(result.Problems) == 0 {
			fmt.Fprintf(c.stdout, "%s: %s\n", result.Dependency, result.Found())
			continue
		}
		found = false
		for _, problem := range result.Problems {
			fmt.Fprintf(c.stderr, "%s:%d: dependency %q: %s: %s\n",
				file, asked[i].Line, result.Dependency, problem.Key, problem.Message)
		}
	}
	return found
}
