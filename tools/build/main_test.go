package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestExitCodeTellsUsageFromFailure(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		code   int
		stderr string
	}{
		"help":            {[]string{"--help"}, 0, "usage: "},
		"unknown flag":    {[]string{"--prnt", "promtool"}, 2, "usage: "},
		"unknown program": {[]string{"promtol"}, 1, `unknown program "promtol"`},
		"the same, printing": {
			[]string{"--print", "promtol"}, 1, `unknown program "promtol"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), c.args, &stdout, &stderr); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.Contains(stderr.String(), c.stderr) || stdout.Len() > 0 {
				t.Errorf("stderr %q, want %q in it; stdout %q, want none", &stderr, c.stderr, &stdout)
			}
		})
	}
}

func TestPrintShowsWhereAProgramIs(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--print", "promtool"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	path, rest, _ := strings.Cut(stdout.String(), "\n")
	if _, err := os.Stat(path); err != nil || rest != "" {
		t.Errorf("printed %q: %v", &stdout, err)
	}
}
