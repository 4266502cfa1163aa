package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// transcript takes what the demo prints and tells when a text is in it.
type transcript struct {
	mu      sync.Mutex
	text    bytes.Buffer
	awaited string
	found   func()
}

func (s *transcript) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	if s.found != nil && strings.Contains(s.text.String(), s.awaited) {
		s.found()
		s.found = nil
	}
	return len(p), nil
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// performance is one run of the demo in a directory of its own.
type performance struct {
	code           int
	stdout, stderr string
}

// perform runs the demo and checks that nothing is left of it. A person presses
// Ctrl-C as soon as the text until is printed, if it is not empty.
func perform(t *testing.T, until string, args ...string) performance {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stdout, stderr transcript
	if until != "" {
		stdout.awaited, stdout.found = until, interrupt
	}
	p := performance{code: run(ctx, args, &stdout, &stderr)}
	p.stdout, p.stderr = stdout.String(), stderr.String()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the demo printed:\n%s\n%s", p.stdout, p.stderr)
		}
	})
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		t.Errorf("%s is left behind", entry.Name())
	}
	for _, url := range regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindAllString(p.stdout, -1) {
		if response, err := http.Get(url); err == nil {
			response.Body.Close()
			t.Errorf("something still answers at %s", url)
		}
	}
	return p
}

func TestPageArrivesForTheTimeoutThatIsTooShort(t *testing.T) {
	p := perform(t, "", "--once")
	if p.code != exitOK || p.stderr != "" {
		t.Fatalf("exit code %d, %s", p.code, p.stderr)
	}
	_, page, found := strings.Cut(p.stdout, ">>> PAGE: TimeoutBelowP99\n")
	if !found {
		t.Fatal("no page is printed")
	}
	page, _, _ = strings.Cut(page, "\n\n")
	for _, want := range []string{
		"severity=critical dependency=checkout-payments caller=checkout callee=payments owner=team-pay",
		"The timeout of checkout-payments is 300ms",
		"of attempts are cut off although their reply would come",
		"do: raise the timeout to 600ms",
		"docs/runbooks/timeout-below-p99.md",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "unknown") || strings.Contains(page, "<no value>") {
		t.Errorf("the page lacks a number:\n%s", page)
	}
	_, end, found := strings.Cut(p.stdout, "search-index is known as fine.\n")
	if !found || !regexp.MustCompile(`(?m)^checkout-payments +300ms .* critical timeout-below-p99`).MatchString(end) {
		t.Error("it does not end with a report of what was found")
	}
}

func TestInterruptEndsTheDemoWell(t *testing.T) {
	p := perform(t, "Ctrl-C ends everything")
	if p.code != exitOK || p.stderr != "" {
		t.Errorf("exit code %d, %s", p.code, p.stderr)
	}
	if !strings.HasSuffix(p.stdout, "Stopping everything.\n") {
		t.Error("it does not say that it stops everything")
	}
}

func TestOnceInterruptedBeforeThePageIsNoSuccess(t *testing.T) {
	p := perform(t, "Alertmanager http", "--once")
	if p.code != exitFailed || !strings.Contains(p.stderr, "interrupted before the page arrived") {
		t.Errorf("exit code %d, %s", p.code, p.stderr)
	}
}

func TestOnceGivesUpAndSaysWhatItWaitedFor(t *testing.T) {
	p := perform(t, "", "--once", "--give-up-after=1ms")
	if p.code != exitFailed {
		t.Errorf("exit code %d, want %d", p.code, exitFailed)
	}
	for _, want := range []string{"gave up after 1ms", "TimeoutBelowP99 for checkout-payments", "Listening on"} {
		if !strings.Contains(p.stderr, want) {
			t.Errorf("standard error lacks %q", want)
		}
	}
}

func TestFailedBuildSaysWhyAndLeavesNothing(t *testing.T) {
	t.Setenv("PATH", "")
	p := perform(t, "")
	if p.code != exitFailed || !strings.Contains(p.stderr, "building timeout-auditor") || !strings.Contains(p.stderr, "executable file not found") {
		t.Errorf("exit code %d, %s", p.code, p.stderr)
	}
}

func TestAuditorThatDoesNotStartShowsItsLog(t *testing.T) {
	dir := t.TempDir()
	binary, err := build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	p := product{binary: binary, config: dir + "/config.yaml"}
	if err := os.WriteFile(p.config, []byte("prometheus: {url: 'http://127.0.0.1:1'}\nshedule: never\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := startDaemon(t.Context(), p, dir+"/log")
	if err == nil {
		d.stop()
		t.Fatal("started with a configuration that is wrong")
	}
	for _, want := range []string{"it exited: exit status 2", "config.yaml:2", "shedule"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
}

func TestAuditorIsStoppedOnce(t *testing.T) {
	dir := t.TempDir()
	binary, err := build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := render("config.yaml", addresses{Prometheus: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	p := product{binary: binary, config: dir + "/config.yaml"}
	if err := os.WriteFile(p.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := startDaemon(t.Context(), p, dir+"/log")
	if err != nil {
		t.Fatal(err)
	}
	d.stop()
	d.stop()
	if d.err != nil {
		t.Errorf("the auditor ended with %v, want exit code 0", d.err)
	}
	if _, err := d.report(t.Context()); err == nil {
		t.Error("it still answers")
	}
}

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		"help":          {[]string{"--help"}, exitOK, "--give-up-after", ""},
		"unknown flag":  {[]string{"--twice"}, exitUsage, "", "unknown long flag"},
		"wrong time":    {[]string{"--once", "--give-up-after=soon"}, exitUsage, "", "soon"},
		"stray word":    {[]string{"once"}, exitUsage, "", "once"},
		"no flag value": {[]string{"--give-up-after"}, exitUsage, "", "give-up-after"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel() // a demo that starts all the same ends at once
			if code := run(ctx, c.args, &stdout, &stderr); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) {
				t.Errorf("printed %q and %q, want %q and %q in it", stdout.String(), stderr.String(), c.stdout, c.stderr)
			}
		})
	}
}
