package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/config"
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

type options struct {
	sizes   []int
	out     string
	profile string
	binary  string
}

// run measures every size and writes the page.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	app := kingpin.New("bench", "Measures what an auditor costs, and what it costs its Prometheus, and writes the page about it.")
	app.UsageWriter(stdout)
	app.ErrorWriter(stderr)
	app.HelpFlag.Short('h')
	var o options
	app.Flag("dependencies", "How many dependencies; repeatable.").Default("100", "1000", "10000").IntsVar(&o.sizes)
	app.Flag("out", "The page to write.").Default("docs/performance.md").StringVar(&o.out)
	app.Flag("cpu-profile", "A file for the profile of the cycles.").StringVar(&o.profile)
	ended := false
	app.Terminate(func(int) { ended = true })
	if _, err := app.Parse(args); err != nil && !ended {
		fmt.Fprintf(stderr, "bench: %v, try --help\n", err)
		return exitUsage
	}
	if ended {
		return exitOK
	}
	found, err := o.measure(ctx, stderr)
	if err == nil {
		err = os.WriteFile(o.out, []byte(render(found)), 0o644)
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitFailed
	}
	fmt.Fprintf(stdout, "%swrote %s\n", table(found), o.out)
	code := exitOK
	for _, t := range targets(found) {
		if !t.met {
			fmt.Fprintf(stderr, "bench: not met: %s: %s\n", t.what, t.reached)
			code = exitFailed
		}
	}
	return code
}

func (o options) measure(ctx context.Context, progress io.Writer) ([]cost, error) {
	agent.CollectEarly() // as the daemon does
	dir, err := os.MkdirTemp("", "timeout-auditor-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if o.binary, err = build(ctx, dir); err != nil {
		return nil, err
	}
	var found []cost
	for _, n := range o.sizes {
		c, err := o.measureSize(ctx, filepath.Join(dir, strconv.Itoa(n)), n, progress)
		if err != nil {
			return nil, fmt.Errorf("%d dependencies: %w", n, err)
		}
		found = append(found, c)
	}
	return found, nil
}

func (o options) measureSize(ctx context.Context, dir string, n int, progress io.Writer) (cost, error) {
	fmt.Fprintf(progress, "%d dependencies: filling a Prometheus\n", n)
	began := time.Now()
	f, err := fill(ctx, dir, n)
	if err != nil {
		return cost{}, err
	}
	defer f.server.Stop()
	filling := time.Since(began)
	fmt.Fprintf(progress, "%d dependencies: running the daemon\n", n)
	daemon, err := runDaemon(ctx, o.binary, dir, f.configuration("@every 10s"))
	if err != nil {
		return cost{}, err
	}
	fmt.Fprintf(progress, "%d dependencies: running cycles\n", n)
	c, err := config.Parse("bench.yaml", []byte(f.configuration("@every 1m")), config.Options{})
	if err != nil {
		return cost{}, err
	}
	stop, err := o.startProfile(n)
	if err != nil {
		return cost{}, err
	}
	found, last, err := measureCycle(ctx, f, c)
	stop()
	if err != nil {
		return cost{}, err
	}
	found.fillTime, found.daemon, found.exposition = filling, daemon, measureExposition(last)
	return found, nil
}

func (o options) startProfile(n int) (stop func(), err error) {
	if o.profile == "" {
		return func() {}, nil
	}
	file, err := os.Create(fmt.Sprintf("%s.%d", o.profile, n))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = file.Close()
	}, nil
}
