package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kingpin/v2"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run measures everything and writes the page. It fails where a promise is not
// kept, after the page has been written.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	app := kingpin.New("truth", "Measures how far the auditor's figures are from the truth, and writes the page about it.")
	app.UsageWriter(stdout)
	app.ErrorWriter(stderr)
	app.HelpFlag.Short('h')
	file := app.Flag("out", "The page to write.").Default("docs/accuracy.md").String()
	ended := false
	app.Terminate(func(int) { ended = true })
	if _, err := app.Parse(args); err != nil && !ended {
		fmt.Fprintf(stderr, "truth: %v, try --help\n", err)
		return exitUsage
	}
	if ended {
		return exitOK
	}
	found, err := measure(ctx, &progress{out: stderr})
	if err == nil {
		err = os.WriteFile(*file, []byte(found.render()), 0o644)
	}
	if err != nil {
		fmt.Fprintf(stderr, "truth: %v\n", err)
		return exitFailed
	}
	fmt.Fprintf(stdout, "wrote %s\n", *file)
	code := exitOK
	for _, t := range found.promises() {
		if !t.met {
			fmt.Fprintf(stderr, "truth: not met: %s: %s\n", t.promise, t.reached)
			code = exitFailed
		}
	}
	return code
}
