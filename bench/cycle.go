package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"syscall"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// cost is what a cycle over n dependencies takes.
type cost struct {
	n          int
	queries    int           // of one cycle
	cycle      time.Duration // the median of several
	bare       time.Duration // the same queries, answers thrown away
	alone      time.Duration // each dependency by itself, as many at once as in a cycle, from a sample
	inTurn     time.Duration // one dependency after the other, as a script asks, from the same sample
	processor  time.Duration // of a cycle, all cores together
	server     time.Duration // processor time of Prometheus for a cycle
	serverOne  time.Duration // and for asking one by one
	known      int           // dependencies with an answer
	fillTime   time.Duration
	daemon     daemon
	exposition exposition
}

// sent is one request as it went over the wire.
type sent struct {
	path, body string
}

// recorder passes requests on and keeps them.
type recorder struct {
	server *httptest.Server
	mu     sync.Mutex
	sent   []sent
}

func record(target string) (*recorder, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	r := &recorder{}
	proxy := httputil.NewSingleHostReverseProxy(to)
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		r.sent = append(r.sent, sent{req.URL.Path, string(body)})
		r.mu.Unlock()
		req.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, req)
	}))
	return r, nil
}

func client(c *config.Config, at string) (*promquery.Client, error) {
	p := c.Prometheus
	p.URL = at
	return promquery.New(promquery.Options{Prometheus: p, UserAgent: "timeout-auditor/bench"})
}

// measureCycle runs cycles as the daemon does, and the same queries bare.
func measureCycle(ctx context.Context, f *filled, c *config.Config) (cost, *report.Report, error) {
	found := cost{n: f.n}
	r, err := record(f.server.URL)
	if err != nil {
		return found, nil, err
	}
	defer r.server.Close()
	recorded, err := client(c, r.server.URL)
	if err != nil {
		return found, nil, err
	}
	agent.Cycle(ctx, c, recorded, agent.Moment{At: f.until}) // sizes are learned
	r.sent = nil
	last := agent.Cycle(ctx, c, recorded, agent.Moment{At: f.until})
	requests := r.sent
	found.queries = len(requests)

	direct, err := client(c, f.server.URL)
	if err != nil {
		return found, nil, err
	}
	agent.Cycle(ctx, c, direct, agent.Moment{At: f.until})
	var cycles, bares, processors times
	serverBefore := f.processorTime(ctx)
	for range rounds {
		before, began := processorTime(), time.Now()
		last = agent.Cycle(ctx, c, direct, agent.Moment{At: f.until, Previous: last})
		cycles, processors = append(cycles, time.Since(began)), append(processors, processorTime()-before)
		took, err := bare(ctx, f.server.URL, requests)
		if err != nil {
			return found, nil, err
		}
		bares = append(bares, took)
	}
	found.server = (f.processorTime(ctx) - serverBefore) / (2 * rounds)
	found.cycle, found.bare, found.processor = cycles.median(), bares.median(), processors.median()
	for _, d := range last.Dependencies {
		if d.Known() {
			found.known++
		}
	}
	serverBefore = f.processorTime(ctx)
	if found.alone, err = oneByOne(ctx, f, c, concurrency); err != nil {
		return found, nil, err
	}
	found.serverOne = (f.processorTime(ctx) - serverBefore) * time.Duration(f.n) / time.Duration(min(sampled, f.n))
	found.inTurn, err = oneByOne(ctx, f, c, 1)
	return found, last, err
}

// rounds is how often a cycle is measured.
const rounds = 5

// bare sends requests as they are, so many at once, and throws the answers away.
func bare(ctx context.Context, server string, requests []sent) (time.Duration, error) {
	// The auditor does not ask for compressed replies either.
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: concurrency, DisableCompression: true}}
	defer c.CloseIdleConnections()
	began := time.Now()
	next := make(chan sent)
	failed := make(chan error, concurrency)
	var workers sync.WaitGroup
	for range concurrency {
		workers.Go(func() {
			for s := range next {
				if err := post(ctx, c, server+s.path, s.body); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	for _, s := range requests {
		select {
		case next <- s:
		case err := <-failed:
			return 0, err
		}
	}
	close(next)
	workers.Wait()
	select {
	case err := <-failed:
		return 0, err
	default:
		return time.Since(began), nil
	}
}

func post(ctx context.Context, c *http.Client, address, body string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, resp.Status)
	}
	return nil
}

// sampled is how many dependencies are asked alone; the others take as long.
const sampled = 200

// oneByOne asks dependencies each by itself, so many at once, and scales the
// time up to all of them.
func oneByOne(ctx context.Context, f *filled, c *config.Config, atOnce int) (time.Duration, error) {
	one, err := client(c, f.server.URL)
	if err != nil {
		return 0, err
	}
	n := min(sampled, f.n)
	next := make(chan int)
	var workers sync.WaitGroup
	began := time.Now()
	for range atOnce {
		workers.Go(func() {
			for i := range next {
				one.Observe(ctx, c.Dependencies[i:i+1], f.until)
			}
		})
	}
	for i := range n {
		next <- i * (f.n / n)
	}
	close(next)
	workers.Wait()
	return time.Since(began) * time.Duration(f.n) / time.Duration(n), nil
}

// processorTime is what this process has used of all cores.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
