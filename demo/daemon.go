package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/timeout-auditor/timeout-auditor/report"
)

const (
	daemonStart = 30 * time.Second // until it listens
	daemonGrace = 10 * time.Second // between SIGTERM and SIGKILL
	askTimeout  = 20 * time.Second
	lookEvery   = 50 * time.Millisecond
	tailLength  = 4 << 10 // bytes of a log that a failure shows
)

// daemon is a running `timeout-auditor run`.
type daemon struct {
	url     string
	logFile string
	process *os.Process
	once    sync.Once
	exited  chan struct{}
	err     error // of the exit, to be read after exited is closed
}

// startDaemon starts the daemon on a free port and returns when it listens.
func startDaemon(ctx context.Context, p product, logFile string) (*daemon, error) {
	ctx, cancel := context.WithTimeout(ctx, daemonStart)
	defer cancel()
	d := &daemon{logFile: logFile, exited: make(chan struct{})}
	if err := d.run(p); err != nil {
		return nil, fmt.Errorf("starting the auditor: %w", err)
	}
	if err := d.waitListening(ctx); err != nil {
		d.stop()
		return nil, fmt.Errorf("starting the auditor: %w; its log ends:\n%s", err, d.log())
	}
	return d, nil
}

func (d *daemon) run(p product) error {
	log, err := os.Create(d.logFile)
	if err != nil {
		return err
	}
	cmd := exec.Command(p.binary, "run", "--config.file="+p.config, "--web.listen-address=127.0.0.1:0") //nolint:noctx // it outlives the context of its start
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = tiedToParent()
	started := make(chan error)
	go func() {
		// Linux ties a child's life to the thread that started it, not to the
		// process. So that thread stays with this goroutine until the end.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		_ = log.Close() // the child has its own
		d.process = cmd.Process
		started <- err
		if err != nil {
			return
		}
		d.err = cmd.Wait()
		close(d.exited)
	}()
	return <-started
}

// waitListening waits for the line in which the log names the address.
func (d *daemon) waitListening(ctx context.Context) error {
	listening := regexp.MustCompile(`"Listening on" address=(\S+)`)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		log, err := os.ReadFile(d.logFile)
		if err != nil {
			return err
		}
		if match := listening.FindSubmatch(log); match != nil {
			d.url = "http://" + string(match[1])
			return nil
		}
		select {
		case <-tick.C:
		case <-d.exited:
			return d.exitError()
		case <-ctx.Done():
			return fmt.Errorf("no listen address in its log: %w", ctx.Err())
		}
	}
}

func (d *daemon) exitError() error {
	if d.err == nil {
		return errors.New("it exited by itself")
	}
	return fmt.Errorf("it exited: %w", d.err)
}

// log returns the end of the daemon's log.
func (d *daemon) log() string {
	log, err := os.ReadFile(d.logFile)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(log[max(0, len(log)-tailLength):]))
}

// stop asks the daemon to end, kills it if it takes too long, and returns when
// it is gone.
func (d *daemon) stop() {
	d.once.Do(func() {
		if err := d.process.Signal(syscall.SIGTERM); err != nil {
			_ = d.process.Kill() // no such signal here, or it is gone already
		}
		grace := time.NewTimer(daemonGrace)
		defer grace.Stop()
		select {
		case <-d.exited:
		case <-grace.C:
			_ = d.process.Kill()
		}
	})
	<-d.exited
}

// errNoReport says that the first cycle has not ended yet.
var errNoReport = errors.New("no report yet")

// report asks the daemon for its report.
func (d *daemon) report(ctx context.Context) (report.Document, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+"/api/v1/report", nil)
	if err != nil {
		return report.Document{}, err
	}
	transport := &http.Transport{DisableKeepAlives: true} // and no proxy: it is here
	response, err := transport.RoundTrip(request)
	if err != nil {
		return report.Document{}, fmt.Errorf("asking the auditor for its report: %w", err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusServiceUnavailable:
		return report.Document{}, errNoReport
	default:
		return report.Document{}, fmt.Errorf("asking the auditor for its report: %s", response.Status)
	}
	var document report.Document
	if err := json.NewDecoder(response.Body).Decode(&document); err != nil {
		return report.Document{}, fmt.Errorf("reading the auditor's report: %w", err)
	}
	return document, nil
}
