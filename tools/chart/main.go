package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stderr)
	cancel()
	os.Exit(code)
}

// run returns the exit code: 0 when all is written, 1 when something failed, 2
// for wrong usage.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(stderr, "usage: go run ./tools/chart, at the top of the tree")
		return 2
	}
	if err := write(ctx, "."); err != nil {
		fmt.Fprintln(stderr, "chart:", err)
		return 1
	}
	return 0
}

// write writes the chart's copies first: the manifests are made from them.
func write(ctx context.Context, root string) error {
	files, err := copies(root)
	if err != nil {
		return err
	}
	if err := files.write(root); err != nil {
		return err
	}
	if files, err = manifests(ctx, root); err != nil {
		return err
	}
	return files.write(root)
}
