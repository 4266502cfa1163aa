package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

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

// options are the flags.
type options struct {
	once        bool
	giveUpAfter time.Duration
	screenshots string // directory for pictures of the pages; empty: none are taken
}

// run is the whole program. It ends with ctx, which a person's Ctrl-C ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, code, ok := parse(args, stdout, stderr)
	if !ok {
		return code
	}
	if err := demonstrate(ctx, o, newConsole(stdout)); err != nil {
		fmt.Fprintf(stderr, "demo: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// parse reads the flags. Unless ok, code is the exit code.
func parse(args []string, stdout, stderr io.Writer) (o options, code int, ok bool) {
	app := kingpin.New("demo", "Shows timeout-auditor at work: a system in small, a Prometheus, an Alertmanager and a page.")
	app.UsageWriter(stdout)
	app.ErrorWriter(stderr)
	app.HelpFlag.Short('h')
	app.Flag("once", "End when the page has arrived, instead of on Ctrl-C.").BoolVar(&o.once)
	app.Flag("give-up-after", "With --once: how long to wait for the page once everything runs.").
		Default("5m").DurationVar(&o.giveUpAfter)
	app.Flag("screenshots", "End as with --once, and leave pictures of the pages in this directory.").PlaceHolder("DIR").StringVar(&o.screenshots)
	helped := false
	app.Terminate(func(int) { helped = true })
	switch _, err := app.Parse(args); {
	case helped && err == nil:
		return o, exitOK, false
	case err != nil:
		fmt.Fprintf(stderr, "demo: %v, try --help\n", err)
		return o, exitUsage, false
	}
	o.once = o.once || o.screenshots != ""
	return o, exitOK, true
}

// demonstrate starts everything, watches it and stops it again. The end of ctx
// is a good end, unless the demo was to run until the page.
func demonstrate(ctx context.Context, o options, out *console) (err error) {
	s := &stack{out: out}
	defer func() {
		out.say("\nStopping everything.")
		err = errors.Join(err, s.stop())
	}()
	out.introduce()
	if err = s.start(ctx); err == nil {
		w := &watch{stack: s, options: o, pages: map[string]bool{}}
		err = w.run(ctx)
	}
	switch {
	case ctx.Err() == nil:
		return err
	case o.once:
		return errors.New("interrupted before the page arrived")
	}
	return nil
}
