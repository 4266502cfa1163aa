package grafana_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"
)

// patience bounds the wait for the auditor's first cycles and their scrapes.
const patience = time.Minute

// log collects what a process says while it runs.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// eventually asks again and again, as the clock of real servers is theirs.
func eventually(t *testing.T, what func() string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited %s in vain: %s", patience, what())
		}
	}
}

// startAuditor builds the product, runs it as a user does and returns the port
// it listens on.
func startAuditor(t *testing.T, config string) string {
	t.Helper()
	dir := t.TempDir()
	binary, file := filepath.Join(dir, "timeout-auditor"), filepath.Join(dir, "config.yaml")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "github.com/timeout-auditor/timeout-auditor/cmd/timeout-auditor")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the auditor: %v\n%s", err, out)
	}
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	said := &log{}
	daemon := exec.CommandContext(t.Context(), binary, "run", "--config.file="+file, "--web.listen-address=127.0.0.1:0")
	daemon.Stdout, daemon.Stderr = said, said
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = daemon.Wait() }) // the end of the test's context kills it
	listening := regexp.MustCompile(`msg="Listening on" address=127.0.0.1:(\d+)`)
	var found []string
	eventually(t, func() string { return "the auditor does not listen:\n" + said.String() }, func() bool {
		found = listening.FindStringSubmatch(said.String())
		return found != nil
	})
	return found[1]
}
