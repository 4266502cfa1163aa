package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// secret stands in test files wherever somebody may have written a password.
const secret = "hunter2"

func updating() bool { return flag.Lookup("update").Value.String() == "true" }

func TestMain(m *testing.M) {
	flag.Bool("update", false, "rewrite golden files and the tables in docs/configuration.md")
	os.Exit(m.Run())
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if updating() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

func knownRules() Options {
	return Options{Rules: []string{"timeout-below-p99", "false-timeout-ratio-high", "amplification-high", "no-timeout"}}
}

func TestBadFilesAreRefusedWithEveryProblemInThem(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Parse("config.yaml", data, knownRules())
			var problems Problems
			if !errors.As(err, &problems) || len(problems) == 0 || c != nil {
				t.Fatalf("Parse = %v, %v; want no Config and Problems", c, err)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the message gives the secret away:\n%s", err)
			}
			compareGolden(t, strings.TrimSuffix(file, ".yaml")+".txt", err.Error()+"\n")
		})
	}
}
