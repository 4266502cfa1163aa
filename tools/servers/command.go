package servers

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Promtool runs promtool, after building it if need be, and returns what it
// printed on standard output. A failure's error has all that it printed.
func Promtool(ctx context.Context, args ...string) ([]byte, error) {
	return runTool(ctx, "promtool", args)
}

// Amtool is Promtool for Alertmanager's amtool.
func Amtool(ctx context.Context, args ...string) ([]byte, error) {
	return runTool(ctx, "amtool", args)
}

// Helm is Promtool for helm.
func Helm(ctx context.Context, args ...string) ([]byte, error) {
	return runTool(ctx, "helm", args)
}

func runTool(ctx context.Context, name string, args []string) ([]byte, error) {
	binary, err := Binary(ctx, name)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.Bytes(), fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err,
			strings.TrimSpace(stdout.String()+stderr.String()))
	}
	return stdout.Bytes(), nil
}
