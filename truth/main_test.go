package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestResultsComeInTheOrderOfTheItems(t *testing.T) {
	items := make([]int, 1000)
	for i := range items {
		items[i] = i
	}
	last := 0
	squares, err := forEach(t.Context(), items, func(i int) int { return i * i }, func(done int) {
		if done != last+1 {
			t.Errorf("%d are done after %d", done, last)
		}
		last = done
	})
	if err != nil || last != len(items) {
		t.Fatalf("%d done: %v", last, err)
	}
	for i, square := range squares {
		if square != i*i {
			t.Fatalf("item %d: %d", i, square)
		}
	}
}

func TestWorkStopsWithTheContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	worked := make(chan int, 1000)
	_, err := forEach(ctx, slices.Repeat([]int{1}, 1000), func(i int) int {
		stop()
		worked <- i
		return i
	}, func(int) {})
	if !errors.Is(err, context.Canceled) || len(worked) == 1000 {
		t.Errorf("%v after %d of 1000", err, len(worked))
	}
}

func TestInterruptedRunWritesNoPage(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	page := filepath.Join(t.TempDir(), "accuracy.md")
	var stderr strings.Builder
	if code := run(ctx, []string{"--out", page}, io.Discard, &stderr); code != exitFailed {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if _, err := os.Stat(page); err == nil {
		t.Error("a page was written")
	}
}

func TestFlags(t *testing.T) {
	for arg, want := range map[string]int{"--help": exitOK, "--unknown": exitUsage} {
		var stderr strings.Builder
		if code := run(t.Context(), []string{arg}, io.Discard, &stderr); code != want || (stderr.Len() > 0) != (want != exitOK) {
			t.Errorf("%s: exit code %d, %q", arg, code, stderr.String())
		}
	}
}
