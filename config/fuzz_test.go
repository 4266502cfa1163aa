package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(files, filepath.Join("..", "config.example.yaml")) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("config.yaml", data, knownRules())
		if err == nil {
			checkInvariants(t, c)
			return
		}
		var problems Problems
		if !errors.As(err, &problems) || len(problems) == 0 || c != nil {
			t.Fatalf("Parse = %v, %v; want no Config and Problems", c, err)
		}
		lines := 1 // YAML takes all of these for line breaks
		for _, r := range string(data) {
			if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
				lines++
			}
		}
		for _, p := range problems {
			if p.Line < 0 || p.Line > lines || p.Message == "" || strings.ContainsAny(p.String(), "\n\r\x00") {
				t.Errorf("in a file of %d lines: %+v", lines, p)
			}
		}
		if !slices.IsSortedFunc(problems, func(a, b Problem) int { return a.Line - b.Line }) {
			t.Errorf("not in the order of lines:\n%s", err)
		}
		if _, again := Parse("config.yaml", data, knownRules()); again == nil || again.Error() != err.Error() {
			t.Errorf("parsed again:\n%v\nat first:\n%v", again, err)
		}
	})
}

func FuzzSchedule(f *testing.F) {
	for _, spec := range []string{
		"@every 1m", "*/5 9-17 * * 1-5", "CRON_TZ=Europe/Berlin 30 2 * * *", "TZ=UTC", "TZ=Africa/Casablanca 0 */2 * * *",
		"0 0 30 2 *", "@every -1s", ", , , , ,", "0 0 29 2 sun", "@yearly", "CRON_TZ=Australia/Lord_Howe 59 1 * * *",
	} {
		f.Add(spec, uint32(0))
		f.Add(spec, uint32(7_000_000)) // 81 days
	}
	f.Fuzz(func(t *testing.T, spec string, seconds uint32) {
		s, err := parseSchedule(spec)
		if err != nil {
			if err.Error() == "" {
				t.Error("no reason given")
			}
			return
		}
		start := time.Date(2024, time.January, 2, 0, 0, 0, 0, time.UTC)
		at := s.Next(start.Add(time.Duration(seconds%(300*86400)) * time.Second))
		next := s.Next(at)
		if at.IsZero() || next.IsZero() || s.Gap < time.Second || next.Sub(at) > s.Gap {
			t.Errorf("%q has a gap of %v and fires at %v and %v", spec, s.Gap, at, next)
		}
	})
}
