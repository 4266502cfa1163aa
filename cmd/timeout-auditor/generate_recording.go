package main

import (
	"context"
	"fmt"

	"github.com/alecthomas/kingpin/v2"

	"github.com/timeout-auditor/timeout-auditor/rules/recording"
	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

func generateRecordingRulesCommand(generate *kingpin.CmdClause) action {
	command := generate.Command("recording-rules", "Print the baseline model as recording rules for Prometheus, Thanos and Mimir rulers, which need no auditor then.")
	file := command.Flag("config.file", "The configuration that declares the dependencies.").Required().String()
	runbooks, format := runbookFlag(command), ruleFormatFlag(command)
	return func(_ context.Context, c console) int {
		cfg, ok := mustLoad(*file, c.stderr)
		if !ok {
			return exitUsage
		}
		for _, entry := range recording.Uncovered(cfg) {
			fmt.Fprintf(c.stderr, "timeout-auditor: %s\n", entry)
		}
		options := recording.Options{Format: rulefile.Format(*format), Runbooks: *runbooks, HoldFor: cfg.HoldFor}
		if err := recording.Generate(c.stdout, cfg, options); err != nil {
			fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
			return exitFailed
		}
		return exitOK
	}
}
