package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// knownLatency is what the callees take: median 100 ms, p99 404 ms.
func knownLatency() latency.Lognormal { return latency.Lognormal{Mu: math.Log(.1), Sigma: .6} }

const (
	liveFor    = 66 * time.Second      // scraped, of which the audit sees the last minute
	liveEvery  = 5 * time.Millisecond  // an attempt of each caller starts
	liveSlack  = 20 * time.Millisecond // what network, scheduler and timers may add to an attempt
	liveScrape = `
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - {job_name: callers, static_configs: [{targets: [%q]}]}
`
	liveAudit = `
prometheus: {url: %q}
defaults: {window: 1m}
dependencies:
  - name: recorded
    latency: {histogram: recorded_seconds, timeouts: recorded}
    policy: {timeout: 250ms}
  - name: dropped
    latency: {histogram: dropped_seconds, timeouts: dropped}
    policy: {timeout: 300ms}
    observed: {attempts: "sum(rate(dropped_attempts_total[$window]))", timeouts: "sum(rate(dropped_timeouts_total[$window]))"}
  - name: callee
    latency: {histogram: callee_seconds, timeouts: uncensored}
    policy: {timeout: 300ms}
`
)

// callee replies after a known latency, whether or not the caller still waits,
// and observes what it took. Its latencies are the quantiles at the multiples of
// the golden ratio, which any minute has evenly: no luck is in the shares.
type callee struct {
	observed prometheus.Observer
	served   atomic.Int64
}

func (c *callee) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	began := time.Now()
	_, share := math.Modf(float64(c.served.Add(1)) * math.Phi)
	<-time.After(time.Duration(knownLatency().Quantile(share) * float64(time.Second)))
	c.observed.Observe(time.Since(began).Seconds())
	w.WriteHeader(http.StatusNoContent)
}

// caller makes attempts with a timeout, at a fixed rate whatever comes of them.
type caller struct {
	url     string
	timeout time.Duration
	record  func(took time.Duration, timedOut bool)
}

func (c caller) call(ctx context.Context) {
	transport := &http.Transport{MaxIdleConnsPerHost: 200}
	defer transport.CloseIdleConnections()
	client := &http.Client{Timeout: c.timeout, Transport: transport}
	every := time.NewTicker(liveEvery)
	defer every.Stop()
	var open sync.WaitGroup
	defer open.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			open.Go(func() {
				began := time.Now()
				response, err := client.Get(c.url)
				c.record(time.Since(began), err != nil)
				if err == nil {
					response.Body.Close()
				}
			})
		}
	}
}

func histogram(name string) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Buckets: prometheus.DefBuckets})
}

// workload serves three callees and their callers' metrics, and returns the
// address to scrape. It ends with ctx.
func workload(ctx context.Context, t *testing.T) string {
	t.Helper()
	registry := prometheus.NewRegistry()
	recorded, dropped, uncensored := histogram("recorded_seconds"), histogram("dropped_seconds"), histogram("callee_seconds")
	attempts := prometheus.NewCounter(prometheus.CounterOpts{Name: "dropped_attempts_total"})
	timeouts := prometheus.NewCounter(prometheus.CounterOpts{Name: "dropped_timeouts_total"})
	registry.MustRegister(recorded, dropped, uncensored, attempts, timeouts)
	unseen := histogram("unseen_seconds")
	var callers sync.WaitGroup
	for _, c := range []struct {
		observed prometheus.Observer // by the callee
		caller   caller
	}{
		{unseen, caller{timeout: 250 * time.Millisecond, record: func(took time.Duration, _ bool) {
			recorded.Observe(took.Seconds())
		}}},
		{unseen, caller{timeout: 300 * time.Millisecond, record: func(took time.Duration, timedOut bool) {
			attempts.Inc()
			if timedOut {
				timeouts.Inc()
				return
			}
			dropped.Observe(took.Seconds())
		}}},
		{uncensored, caller{timeout: 300 * time.Millisecond, record: func(time.Duration, bool) {}}},
	} {
		server := httptest.NewServer(&callee{observed: c.observed})
		t.Cleanup(server.Close)
		c.caller.url = server.URL
		callers.Go(func() { c.caller.call(ctx) })
	}
	t.Cleanup(callers.Wait)
	metrics := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	t.Cleanup(metrics.Close)
	return strings.TrimPrefix(metrics.URL, "http://")
}

// assessLive asks a real Prometheus, as the daemon does.
func assessLive(t *testing.T, url string) []*audit.Assessment {
	t.Helper()
	c, err := config.Parse("live.yaml", fmt.Appendf(nil, liveAudit, url), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := promquery.New(promquery.Options{Prometheus: c.Prometheus, UserAgent: "timeout-auditor/test"})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	var all []*audit.Assessment
	for i, r := range client.Observe(t.Context(), c.Dependencies, at) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		all = append(all, audit.Assess(audit.Input{Dependency: &c.Dependencies[i], At: at, Observation: r.Observation}))
	}
	return all
}

// Real clients with real timeouts call real servers of a known latency for a
// minute, and the audit reads them from a real Prometheus. The truth is not a
// point here: up to liveSlack lies between the latency of a callee and what its
// caller saw. Within it the bracket must hold the truth, and with more than 3%
// cut off no reading may call the timeout fine.
func TestAuditOfRealTrafficHoldsTheTruth(t *testing.T) {
	t.Parallel() // it mostly waits
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	target := workload(ctx, t)
	p, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{Dir: t.TempDir(), Config: fmt.Sprintf(liveScrape, target)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	<-time.After(liveFor)
	for _, a := range assessLive(t, p.URL) {
		stop()
		truth := knownLatency().Survival(a.Limit)
		most := knownLatency().Survival(a.Limit - liveSlack.Seconds())
		f := a.FalseTimeout
		if f == nil || a.LognormalRatio == nil {
			t.Errorf("%s: no figure: %s %v %s", a.Dependency.Name, a.Status, a.Reasons, a.Detail)
			continue
		}
		t.Logf("%s: %.0f attempts, T %g s, true p %.4f to %.4f, audit %.4f (%.4f to %.4f, %s), %s; two quantiles %.4f, off by %.2f",
			a.Dependency.Name, a.Tail.Samples, a.Limit, truth, most, f.Point, f.Lower, f.Upper, a.Tail.Method,
			a.CompareFalseTimeout(judged), *a.LognormalRatio, factorError(*a.LognormalRatio, truth))
		if f.Lower > most || f.Upper < truth {
			t.Errorf("%s: the bracket from %g to %g does not hold the truth, %g to %g", a.Dependency.Name, f.Lower, f.Upper, truth, most)
		}
		if a.CompareFalseTimeout(judged) == latency.VerdictBelow {
			t.Errorf("%s: %g are cut off, and the timeout is called fine", a.Dependency.Name, truth)
		}
		if a.Dependency.Name == "dropped" && !(f.Upper < 2*f.Lower) {
			t.Errorf("counted timeouts leave a bracket from %g to %g", f.Lower, f.Upper)
		}
	}
}
