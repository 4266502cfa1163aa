package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// daemon is what the binary takes while it runs and is scraped.
type daemon struct {
	peak   int64 // bytes of resident memory
	cycles int
}

const command = "github.com/timeout-auditor/timeout-auditor/cmd/timeout-auditor"

// build builds the binary that users run.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "timeout-auditor")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, command).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building timeout-auditor: %w\n%s", err, out)
	}
	return binary, nil
}

// watched is for how long the daemon is watched once it has a report.
const watched = 30 * time.Second

// runDaemon runs the binary on a configuration and scrapes it every second.
func runDaemon(ctx context.Context, binary, dir, config string) (daemon, error) {
	var found daemon
	file := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return found, err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return found, err
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, "run", "--config.file="+file, "--web.listen-address="+address)
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		return found, err
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}()
	var until time.Time
	for begun := time.Now(); until.IsZero() || time.Now().Before(until); {
		select {
		case <-ctx.Done():
			return found, ctx.Err()
		case <-time.After(time.Second):
		}
		page, err := get(ctx, "http://"+address+"/metrics")
		if cycles := counted(page); err == nil && cycles > 0 {
			found.cycles = cycles
			if until.IsZero() {
				until = time.Now().Add(watched)
			}
		}
		if until.IsZero() && time.Since(begun) > 5*time.Minute {
			return found, fmt.Errorf("no cycle within 5 minutes:\n%s", log.String())
		}
	}
	found.peak, err = peakMemory(cmd.Process.Pid)
	return found, err
}

func freeAddress(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func get(ctx context.Context, address string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// counted reads how many cycles a page of metrics has.
func counted(page string) int {
	return int(metricValue(page, `timeout_auditor_cycles_total{result="success"} `))
}

// metricValue reads one series of an exposition; 0 where it is not there.
func metricValue(page, name string) float64 {
	_, rest, found := strings.Cut(page, "\n"+name)
	if !found {
		return 0
	}
	text, _, _ := strings.Cut(rest, "\n")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return v
}

// peakMemory is the most that a process has had resident.
func peakMemory(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(status), "VmHWM:")
	if !found {
		return 0, errors.New("the process is gone")
	}
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kilobytes << 10, err
}
