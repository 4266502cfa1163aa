package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	startLimit = 2 * time.Minute       // for a start, when the caller's context allows more
	readyEvery = 50 * time.Millisecond // between two questions whether it is ready
	stopGrace  = 15 * time.Second      // between SIGTERM and SIGKILL
	askTimeout = 10 * time.Second      // for one HTTP request to a server
)

// Process is a running server. Stop it when it is no longer needed.
type Process struct {
	// URL is the server's base URL, such as http://127.0.0.1:40123, without a
	// slash at the end.
	URL string
	// ConfigFile is where the configuration was written. Write it anew and
	// call Reload to change it.
	ConfigFile string

	name    string
	process *os.Process
	journal *journal
	client  *http.Client
	stop    sync.Once
	exited  chan struct{}
	err     error // of the exit, to be read after exited is closed
}

// launch says what to start and how.
type launch struct {
	name       string
	binary     string
	args       []string
	configFile string
	log        io.Writer

	url    string       // empty: the log says which address it got
	ready  string       // path that answers 200 when ready; empty: /-/ready
	client *http.Client // for a server that speaks TLS; nil: a plain one
}

// start starts a server and returns when it is ready to serve.
func start(ctx context.Context, l launch) (*Process, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()

	p := &Process{
		ConfigFile: l.configFile,
		name:       l.name,
		journal:    newJournal(l.log),
		exited:     make(chan struct{}),
		client:     l.client,
	}
	if p.client == nil {
		// No proxy and no idle connections: the server is here, and soon gone.
		p.client = &http.Client{Timeout: askTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	}
	if l.ready == "" {
		l.ready = "/-/ready"
	}
	if err := p.run(l); err != nil {
		return nil, fmt.Errorf("starting %s: %w", l.name, err)
	}
	if err := p.waitReady(ctx, l); err != nil {
		p.Stop()
		return nil, fmt.Errorf("starting %s: %w; its log ends:\n%s", l.name, err, strings.TrimSpace(p.Log()))
	}
	return p, nil
}

// run starts the child and watches over it.
func (p *Process) run(l launch) error {
	cmd := exec.Command(l.binary, l.args...) //nolint:noctx // it outlives the context of its start
	cmd.Stdout, cmd.Stderr = p.journal, p.journal
	cmd.SysProcAttr = tiedToParent()
	started := make(chan error)
	go func() {
		// Linux ties a child's life to the thread that started it, not to the
		// process. So that thread stays with this goroutine until the end.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		p.process = cmd.Process
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		close(p.exited)
	}()
	return <-started
}

// waitReady waits for the address in the log, unless it is known, and then for
// the server to answer that it is ready.
func (p *Process) waitReady(ctx context.Context, l launch) error {
	if p.URL = l.url; p.URL == "" {
		select {
		case address := <-p.journal.address:
			p.URL = "http://" + reachable(address)
		case <-p.exited:
			return p.exitError()
		case <-ctx.Done():
			return fmt.Errorf("no listen address in its log: %w", ctx.Err())
		}
	}
	tick := time.NewTicker(readyEvery)
	defer tick.Stop()
	for {
		err := p.ask(ctx, http.MethodGet, l.ready)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-p.exited:
			return p.exitError()
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w", errors.Join(err, ctx.Err()))
		}
	}
}

// exitError says how the server ended.
func (p *Process) exitError() error {
	if p.err == nil {
		return errors.New("it exited at once")
	}
	return fmt.Errorf("it exited: %w", p.err)
}

// reachable replaces the wildcard address by loopback.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// ask sends a request and expects 200. The error has what the server said.
func (p *Process) ask(ctx context.Context, method, path string) error {
	request, err := http.NewRequestWithContext(ctx, method, p.URL+path, nil)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4<<10))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, strings.TrimSpace(string(body)))
	}
	return nil
}

// Reload makes the server read its configuration, and the files that names,
// again. A configuration that the server refuses is an error with its reason.
func (p *Process) Reload(ctx context.Context) error {
	if err := p.ask(ctx, http.MethodPost, "/-/reload"); err != nil {
		return fmt.Errorf("reloading %s: %w", p.name, err)
	}
	return nil
}

// Exited is closed when the server has ended, by Stop or by itself.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Log returns the last few kilobytes of the server's log.
func (p *Process) Log() string { return p.journal.String() }

// Stop asks the server to end, kills it if it takes too long, and returns when
// it is gone. More calls do no harm.
func (p *Process) Stop() {
	p.stop.Do(func() {
		if err := p.process.Signal(syscall.SIGTERM); err != nil {
			_ = p.process.Kill() // no such signal here, or it is gone already
		}
		grace := time.NewTimer(stopGrace)
		defer grace.Stop()
		select {
		case <-p.exited:
		case <-grace.C:
			_ = p.process.Kill()
		}
	})
	<-p.exited
}
