package servers

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// parentDir is set in the process that TestServerDiesWithItsParent starts: the
// same test binary again, as a parent that is killed.
const parentDir = "TIMEOUT_AUDITOR_TEST_PARENT_DIR"

func TestServerDiesWithItsParent(t *testing.T) {
	if dir := os.Getenv(parentDir); dir != "" {
		p, err := StartPrometheus(t.Context(), PrometheusOptions{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("child %d\n", p.process.Pid)
		<-p.Exited() // not before the kill
		return
	}
	if _, err := Binary(t.Context(), "prometheus"); err != nil {
		t.Fatal(err)
	}
	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServerDiesWithItsParent$")
	parent.Env = append(os.Environ(), parentDir+"="+t.TempDir())
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	lines := bufio.NewScanner(out)
	for pid == 0 && lines.Scan() {
		_, _ = fmt.Sscanf(lines.Text(), "child %d", &pid)
	}
	if pid == 0 {
		_ = parent.Process.Kill()
		t.Fatalf("the parent started no server: %v", parent.Wait())
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	// The kernel needs a moment. Only a server that lives on waits this long.
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for running(pid) {
		select {
		case <-tick.C:
		case <-limit.C:
			if server, err := os.FindProcess(pid); err == nil {
				_ = server.Kill()
			}
			t.Fatal("the server outlives its parent")
		}
	}
}

// running reports whether pid is a process that is neither gone nor a zombie.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}
