package main

import (
	"context"
	"fmt"

	"github.com/alecthomas/kingpin/v2"
)

func explainCommand(app *kingpin.Application) action {
	command := app.Command("explain", "Derive the verdict on one dependency, step by step with the numbers filled in.")
	var shot oneShot
	configFile := configFlag(command)
	command.Flag("time", "Explain as of this moment (RFC 3339 or Unix seconds) instead of now.").StringVar(&shot.time)
	historyFlag(command, &shot)
	name := command.Arg("dependency", "Name of the dependency.").HintAction(dependencyHints(configFile)).Required().String()
	return func(ctx context.Context, c console) int {
		shot.config, shot.dependencies = *configFile, []string{*name}
		result, ok := cycleOnce(ctx, shot, c)
		if !ok {
			return exitUsage
		}
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
