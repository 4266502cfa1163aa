package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 0 when the dashboard is written, 1 when it could
// not be, 2 for wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("dashboard", flag.ContinueOnError)
	flags.SetOutput(stderr)
	output := flags.String("output", "", "file to write; standard output if empty")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if err := write(*output, stdout); err != nil {
		fmt.Fprintln(stderr, "dashboard:", err)
		return 1
	}
	return 0
}

func write(file string, stdout io.Writer) error {
	text, err := render()
	if err != nil {
		return err
	}
	if file == "" {
		_, err = stdout.Write(text)
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// render returns the dashboard as Grafana imports it.
func render() ([]byte, error) {
	board, err := build()
	if err != nil {
		return nil, fmt.Errorf("building the dashboard: %w", err)
	}
	text, err := json.MarshalIndent(board, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding the dashboard: %w", err)
	}
	return append(text, '\n'), nil
}
