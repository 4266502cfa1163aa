package main

import (
	"context"
	"fmt"
	"strings"
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
			fmt.Fprintf(c.stdout, "%s: valid%s\n", file, contents(cfg))
			if *online && !checkOnline(ctx, file, cfg, c) {
				code = exitUsage
			}
		}
		return code
	}
}

// contents counts what a configuration holds.
func contents(cfg *config.Config) string {
	var b strings.Builder
	for _, counted := range []struct {
		n         int
		one, many string
	}{
		{len(cfg.Dependencies), "dependency", "dependencies"}, {len(cfg.Templates), "for_each", "for_each"}, {len(cfg.Chains), "chain", "chains"},
	} {
		switch counted.n {
		case 0:
		case 1:
			fmt.Fprintf(&b, ", 1 %s", counted.one)
		default:
			fmt.Fprintf(&b, ", %d %s", counted.n, counted.many)
		}
	}
	return b.String()
}

// checkOnline reports whether every dependency's series exist.
func checkOnline(ctx context.Context, file string, cfg *config.Config, c console) bool {
	client, err := promquery.New(promquery.Options{Prometheus: cfg.Prometheus, UserAgent: userAgent()})
	if err != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
		return false
	}
	found := true
	at := time.Now()
	for i, d := range client.Discover(ctx, cfg.Templates, at) {
		t := cfg.Templates[i]
		if d.Err != nil {
			found = false
			fmt.Fprintf(c.stderr, "%s:%d: dependency %q: for_each: %v\n", file, t.Line, t.Name, d.Err)
			continue
		}
		fmt.Fprintf(c.stdout, "%s: %d found, max_dependencies is %d\n", t.Name, len(d.Series), t.MaxDependencies)
	}
	cfg, _ = agent.Expanded(ctx, cfg, client, at) // what was not found is said
	asked := agent.Asked(cfg.Dependencies)
	for i, result := range client.Check(ctx, asked, at) {
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
