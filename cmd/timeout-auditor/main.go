package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"
	promslogflag "github.com/prometheus/common/promslog/flag"
	"github.com/prometheus/common/version"
)

// Exit codes, the same for every subcommand.
const (
	exitOK       = 0
	exitFindings = 1 // the audit found something at or above --fail-on
	exitUsage    = 2 // bad flags or configuration
	exitFailed   = 3 // could not audit, or could not listen
)

// console is where a command reads and writes.
type console struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// action runs a subcommand whose flags are parsed and returns the exit code.
type action func(ctx context.Context, c console) int

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	app := kingpin.New("timeout-auditor", "Audits declared timeouts and retries against the latency that Prometheus knows.")
	app.UsageWriter(stdout)
	app.ErrorWriter(stderr)
	app.Version(version.Print("timeout-auditor"))
	app.HelpFlag.Short('h')
	logging := &promslog.Config{Writer: stderr}
	promslogflag.AddFlags(app, logging)

	ended, code := false, exitOK
	app.Terminate(func(status int) {
		if !ended {
			ended, code = true, status
		}
	})
	actions := commands(app, logging)
	selected, err := app.Parse(completing(joinNegativeValues(args)))
	switch {
	case ended && code == 0: // --help or --version has been printed
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "timeout-auditor: %v, try --help\n", err)
		return exitUsage
	case ended:
		return exitUsage
	}
	return actions[selected](ctx, console{stdin, stdout, stderr})
}

// commands declares every subcommand and returns what each does, by its full
// name.
func commands(app *kingpin.Application, logging *promslog.Config) map[string]action {
	actions := calcCommands(app)
	maps.Copy(actions, map[string]action{
		"run":          runCommand(app, logging),
		"audit":        auditCommand(app),
		"backtest":     backtestCommand(app),
		"explain":      explainCommand(app),
		"inspect":      inspectCommand(app),
		"check-config": checkConfigCommand(app),
	})
	maps.Copy(actions, generateCommands(app))
	return actions
}
