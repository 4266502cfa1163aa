package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const top = "../.."

func TestChartHoldsTheRulesAndDashboardsOfTheTree(t *testing.T) {
	files, err := copies(top)
	if err != nil {
		t.Fatal(err)
	}
	expectInStep(t, files)
}

func TestPlainManifestsAreWhatTheChartMakes(t *testing.T) {
	files, err := manifests(t.Context(), top)
	if err != nil {
		t.Fatal(err)
	}
	expectInStep(t, files)
}

func expectInStep(t *testing.T, files derived) {
	t.Helper()
	stale, err := files.stale(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stale {
		t.Errorf("%s is out of date: go run ./tools/chart", path)
	}
}

func TestWriteLeavesWhatIsMadeAndNothingElse(t *testing.T) {
	root := t.TempDir()
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("out/changed.yaml", "old")
	put("out/gone.yaml", "old")
	put("out/README.md", "a page")
	files := derived{
		texts:    map[string][]byte{"out/changed.yaml": []byte("new"), "out/more/missing.yaml": []byte("new")},
		patterns: []string{"out/*.yaml"},
	}
	stale, err := files.stale(root)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"out/changed.yaml", "out/gone.yaml", "out/more/missing.yaml"}; !slices.Equal(stale, want) {
		t.Errorf("stale are %v, want %v", stale, want)
	}
	if err := files.write(root); err != nil {
		t.Fatal(err)
	}
	if stale, err = files.stale(root); err != nil || len(stale) > 0 {
		t.Errorf("after write stale are %v, %v", stale, err)
	}
	if _, err := os.Stat(filepath.Join(root, "out/README.md")); err != nil {
		t.Errorf("a file that matches no pattern: %v", err)
	}
}

func TestArgumentsAreRefused(t *testing.T) {
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"--help"}, &stderr); code != 2 || !strings.Contains(stderr.String(), "usage: ") {
		t.Errorf("exit code %d, %q", code, &stderr)
	}
}
