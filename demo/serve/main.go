package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/demo/workload"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2

	shutdownLimit = 5 * time.Second
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program. It ends with ctx.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	app := kingpin.New("serve", "Runs the demo's callers and callees, for a Prometheus to scrape.")
	app.UsageWriter(stderr)
	app.HelpFlag.Short('h')
	file := app.Flag("config.file", "The auditor's configuration, which has the timeouts and retries to call with.").Default("config.yaml").String()
	address := app.Flag("web.listen-address", "Where to serve the metrics of all services and the list of them.").Default(":8000").String()
	helped := false
	app.Terminate(func(int) { helped = true })
	switch _, err := app.Parse(args); {
	case helped && err == nil:
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "serve: %v, try --help\n", err)
		return exitUsage
	}
	c, err := config.Load(*file, config.Options{Rules: rules.Codes()})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitUsage
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *address)
	if err != nil {
		fmt.Fprintf(stderr, "serve: %v\n", err)
		return exitFailed
	}
	w, err := workload.Start(ctx, workload.Options{Shapes: workload.Shapes(), Dependencies: c.Dependencies, Seed: 1})
	if err != nil {
		fmt.Fprintf(stderr, "serve: %v\n", errors.Join(err, listener.Close()))
		return exitUsage
	}
	fmt.Fprintf(stderr, "serve: listening on %s\n", listener.Addr())
	if err := errors.Join(serve(ctx, listener, handler(w.Targets())), w.Stop()); err != nil {
		fmt.Fprintf(stderr, "serve: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// serve serves until ctx ends.
func serve(ctx context.Context, listener net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownLimit)
	defer cancel()
	return server.Shutdown(end)
}
