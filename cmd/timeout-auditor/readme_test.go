package main

import (
	"os"
	"strings"
	"testing"
)

// The README shows what the calculator prints, to the last digit.
func TestREADMEShowsTheCalculatorsRealOutput(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(readme), "./timeout-auditor calc fallback ")
	if !found {
		t.Fatal("the README does not show calc fallback")
	}
	args, after, _ := strings.Cut(after, "\n")
	_, after, _ = strings.Cut(after, "```\n\n```\n")
	shown, _, _ := strings.Cut(after, "```")
	var stdout strings.Builder
	if code := run(t.Context(), append([]string{"calc", "fallback"}, strings.Fields(args)...), strings.NewReader(""), &stdout, os.Stderr); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	if shown != stdout.String() {
		t.Errorf("the README shows\n%s\nand the command prints\n%s", shown, stdout.String())
	}
}
