package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

const (
	window  = 4 * time.Minute
	history = 2*window + time.Minute
)

// filled is a Prometheus that knows n dependencies.
type filled struct {
	n      int
	dir    string
	server *servers.Process
	until  time.Time // of the last samples
}

// fill scrapes a history that ends about now into a new Prometheus.
func fill(ctx context.Context, dir string, n int) (*filled, error) {
	pause := time.Second
	if n < 50 { // of a test
		pause /= 5
	}
	if n > 2000 {
		pause = 4 * time.Second
	}
	steps := int(history/step) + 1
	last := time.Now().Add(time.Duration(steps) * pause).Truncate(time.Second)
	start := last.Add(-time.Duration(steps-1) * step)
	e := newExporter(n, start, last)
	defer e.server.Close()
	address := strings.TrimPrefix(e.server.URL, "http://")
	var jobs strings.Builder
	for r := range replicas {
		fmt.Fprintf(&jobs, "  - {job_name: bench-%d, metrics_path: /replica/%d, relabel_configs: [{target_label: instance, replacement: %q}, {target_label: job, replacement: bench}], static_configs: [{targets: [%q]}]}\n",
			r, r, fmt.Sprintf("replica-%d", r), address)
	}
	server, err := servers.StartPrometheus(ctx, servers.PrometheusOptions{
		Dir:    dir,
		Config: fmt.Sprintf("global: {scrape_interval: %s, scrape_timeout: %s}\nscrape_configs:\n%s", pause, pause, jobs.String()),
	})
	if err != nil {
		return nil, err
	}
	for !e.complete() {
		select {
		case <-ctx.Done():
			server.Stop()
			return nil, ctx.Err()
		case <-time.After(pause / 4):
		}
	}
	time.Sleep(pause) // the last scrape is being written
	if err := stopScraping(ctx, dir, server); err != nil {
		server.Stop()
		return nil, err
	}
	return &filled{n: n, dir: dir, server: server, until: last}, nil
}

// stopScraping leaves the server with what it has.
func stopScraping(ctx context.Context, dir string, server *servers.Process) error {
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte("global: {scrape_interval: 1m}\n"), 0o600); err != nil {
		return err
	}
	return server.Reload(ctx)
}

// configuration declares every dependency, as a user would write it.
func (f *filled) configuration(schedule string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "prometheus: {url: %q, max_concurrent_queries: %d}\nschedule: %q\nhold_for: 1m\n", f.server.URL, concurrency, schedule)
	fmt.Fprintf(&b, "defaults: {window: %s, latency: {histogram: %s}, policy: {timeout: 1s, retries: 2, deadline: 5s}}\ndependencies:\n", window, histogramName)
	for i := range f.n {
		fmt.Fprintf(&b, "  - {name: %q, caller: bench, callee: %q, latency: {selector: '{job=\"bench\",peer=%q}'}}\n", peer(i), peer(i), peer(i))
	}
	return b.String()
}

// processorTime is what the Prometheus has used of all cores.
func (f *filled) processorTime(ctx context.Context) time.Duration {
	page, err := get(ctx, f.server.URL+"/metrics")
	if err != nil {
		return 0
	}
	return time.Duration(metricValue(page, "process_cpu_seconds_total ") * float64(time.Second))
}

// concurrency is how many queries are in flight at once, in every way to ask.
const concurrency = 4
