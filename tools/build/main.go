package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cancel()
	os.Exit(code)
}

// run returns the exit code: 0 when all is built, 1 when a build failed, 2 for
// wrong usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: go run ./tools/build [--print] [NAME...]\nnames: %s\nwithout a name: %s\n",
			strings.Join(servers.Names(), ", "), strings.Join(servers.Usual(), ", "))
		flags.PrintDefaults()
	}
	paths := flags.Bool("print", false, "print the path of each binary on standard output, and progress only for builds")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	names := flags.Args()
	if len(names) == 0 {
		names = servers.Usual()
	}
	if *paths {
		return printPaths(ctx, names, stdout, stderr)
	}
	if err := servers.Ensure(ctx, stderr, names...); err != nil {
		fmt.Fprintln(stderr, "build:", err)
		return 1
	}
	return 0
}

// printPaths builds what is missing and prints where everything is.
func printPaths(ctx context.Context, names []string, stdout, stderr io.Writer) int {
	for _, name := range names {
		path, err := servers.Binary(ctx, name)
		if err != nil {
			fmt.Fprintln(stderr, "build:", err)
			return 1
		}
		fmt.Fprintln(stdout, path)
	}
	return 0
}
