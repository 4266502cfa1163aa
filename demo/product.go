package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// command is what a user runs, by its path in the module.
const command = "github.com/timeout-auditor/timeout-auditor/cmd/timeout-auditor"

// product is the built binary with the configuration it is run on.
type product struct {
	binary string
	config string
}

// build builds the binary into dir.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "timeout-auditor")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if _, err := output(exec.CommandContext(ctx, "go", "build", "-o", binary, command)); err != nil {
		return "", fmt.Errorf("building timeout-auditor: %w", err)
	}
	return binary, nil
}

// do runs a subcommand on the configuration and returns its standard output. A
// subcommand that fails is an error with what it said.
func (p product) do(ctx context.Context, args ...string) (string, error) {
	return output(exec.CommandContext(ctx, p.binary, args...))
}

func output(cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		words := append([]string{filepath.Base(cmd.Path)}, cmd.Args[1:]...)
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, strings.TrimSpace(stdout.String()+stderr.String()))
	}
	return stdout.String(), nil
}

func (p product) checkConfig(ctx context.Context) (string, error) {
	return p.do(ctx, "check-config", p.config)
}

func (p product) checkOnline(ctx context.Context) (string, error) {
	return p.do(ctx, "check-config", "--online", p.config)
}

// audit returns the report as a table. Findings are what the demo is about, so
// they are no failure.
func (p product) audit(ctx context.Context) (string, error) {
	return p.do(ctx, "audit", "--config.file="+p.config, "--fail-on=never")
}

// generateRules writes the alerting rules to a file.
func (p product) generateRules(ctx context.Context, file string) error {
	rules, err := p.do(ctx, "generate", "rules", "--config.file="+p.config)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(rules), 0o644)
}
