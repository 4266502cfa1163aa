package promquery_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// scraped is a target whose histogram gets the same latencies before every
// scrape: the quantiles of a lognormal at even spacing.
func scraped(h prometheus.Histogram) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(h)
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	const each = 200
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := range each {
			u := (float64(i) + 0.5) / each
			h.Observe(0.18 * math.Exp(0.8*math.Sqrt2*math.Erfinv(2*u-1)))
		}
		h.Observe(0) // one in the zero bucket
		handler.ServeHTTP(w, r)
	})
}

// targets serves a native histogram, one with both forms and a classic one.
func targets(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/native", scraped(prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "native_seconds", NativeHistogramBucketFactor: 1.1,
	})))
	mux.Handle("/both", scraped(prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "both_seconds", NativeHistogramBucketFactor: 1.1, Buckets: prometheus.DefBuckets,
	})))
	mux.Handle("/custom", scraped(prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "custom_seconds", Buckets: prometheus.DefBuckets,
	})))
	mux.Handle("/typed", typed())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// typed is a target with a counter that is not called one, and a gauge.
func typed() http.Handler {
	registry := prometheus.NewRegistry()
	calls := prometheus.NewCounter(prometheus.CounterOpts{Name: "calls_made"})
	rate := prometheus.NewGauge(prometheus.GaugeOpts{Name: "calls_per_second"})
	registry.MustRegister(calls, rate)
	calls.Inc()
	rate.Set(5)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

const liveConfig = `
global: {scrape_interval: 200ms, scrape_timeout: 200ms}
scrape_configs:
  - {job_name: native, metrics_path: /native, scrape_native_histograms: true, static_configs: [{targets: [%[1]q]}]}
  - {job_name: both, metrics_path: /both, scrape_native_histograms: true, always_scrape_classic_histograms: true, static_configs: [{targets: [%[1]q]}]}
  - {job_name: custom, metrics_path: /custom, convert_classic_histograms_to_nhcb: true, scrape_native_histograms: true, static_configs: [{targets: [%[1]q]}]}
  - {job_name: typed, metrics_path: /typed, static_configs: [{targets: [%[1]q]}]}
`

func TestRealPrometheusOnScrapedHistograms(t *testing.T) {
	target := targets(t)
	p := startPrometheus(t.Context(), t, servers.PrometheusOptions{
		Dir:    t.TempDir(),
		Config: fmt.Sprintf(liveConfig, strings.TrimPrefix(target.URL, "http://")),
	})
	c := client(t, p.URL, nil)
	for _, tc := range []struct {
		histogram, kind string
		scheme          latency.Scheme
	}{
		{"native_seconds", "auto", latency.Exponential},
		{"native_seconds", "native", latency.Exponential},
		{"both_seconds", "auto", latency.Exponential},
		{"both_seconds", "classic", latency.Classic},
		{"custom_seconds", "auto", latency.Custom},
	} {
		t.Run(tc.histogram+" as "+tc.kind, func(t *testing.T) {
			dep := dependency(tc.histogram)
			dep.Latency.Kind = tc.kind
			dep.Latency.ReplicaLabel = "instance"
			dep.Window = 1300 * time.Millisecond // 6 scrapes, so that all is one part
			o := eventually(t, c, dep)
			h := merged(t, o.Now)
			if h.Scheme != tc.scheme {
				t.Errorf("scheme %s, want %s", h.Scheme, tc.scheme)
			}
			quantilesAgree(t, p.URL, o, 1)
			checkMean(t, h)
			onlyReplica(t, o)
		})
	}
	t.Run("the type of a metric is known", func(t *testing.T) { knowsTypes(t, c) })
	t.Run("the wrong kind is said", func(t *testing.T) {
		for histogram, kind := range map[string]string{"native_seconds": "classic", "custom_seconds": "classic"} {
			dep := dependency(histogram)
			dep.Latency.Kind = kind
			dep.Window = time.Minute
			r := c.Observe(t.Context(), []config.Dependency{dep}, time.Now())[0]
			wantError(t, r.Err, promquery.KindUnusable, "set latency.kind to auto")
		}
	})
}

// onlyReplica wants one replica with what the whole window holds, which is one
// part, by another query.
func onlyReplica(t *testing.T, o latency.Observation) {
	t.Helper()
	if len(o.Replicas) != 1 || !strings.HasPrefix(o.Replicas[0].Name, "127.0.0.1:") {
		t.Fatalf("replicas %+v, want the one target", o.Replicas)
	}
	r := o.Replicas[0]
	if all := merged(t, o.Now); r.Histogram.Scheme != all.Scheme || r.Scrapes != o.Now.Scrapes || len(r.Histogram.Bins) != len(all.Bins) {
		t.Errorf("replica %+v, window %+v of %v scrapes", r, o.Now.Parts[0], o.Now.Scrapes)
	}
	diff(t, "calls", o.Now.Parts[0].Total(), r.Histogram.Total(), within(1e-9))
}

// knowsTypes checks an expression that reads a counter by its level.
func knowsTypes(t *testing.T, c *promquery.Client) {
	dep := dependency("custom_seconds")
	dep.Window = time.Minute
	dep.Observed = config.Observed{Calls: "sum(calls_made)", Retries: "sum(calls_per_second)"}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		var problems []promquery.CheckProblem
		for _, p := range c.Check(ctx, []config.Dependency{dep}, time.Now())[0].Problems {
			if strings.HasPrefix(p.Key, "observed.") {
				problems = append(problems, p)
			}
		}
		if len(problems) == 1 && strings.HasPrefix(problems[0].Message, "not-a-rate: calls_made is a counter by its metadata") {
			return
		}
		select {
		case <-again.C: // the target may not have been scraped yet
		case <-ctx.Done():
			t.Fatalf("got %+v, want that calls_made is a counter, and nothing about the gauge", problems)
		}
	}
}

// Prometheus goes on without a remote storage that does not answer, and says so
// in a warning.
func TestRealPrometheusWithoutItsRemoteStorage(t *testing.T) {
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	p := startPrometheus(t.Context(), t, servers.PrometheusOptions{
		Dir:    t.TempDir(),
		Config: fmt.Sprintf("remote_read: [{url: %q, read_recent: true}]\n", away.URL),
	})
	r := client(t, p.URL, nil).Observe(t.Context(), []config.Dependency{dependency("a_seconds")}, time.Now())[0]
	wantError(t, r.Err, promquery.KindPartial, "the server answered without some of its data (partial response): ")
	wantReason(t, r.Err, latency.ReasonPartialResponse)
}

// eventually asks until the server has scraped often enough for one part. It
// asks about a second ago, of which no scrape is still under way: all queries
// see the same samples.
func eventually(t *testing.T, c *promquery.Client, dep config.Dependency) latency.Observation {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		r := c.Observe(ctx, []config.Dependency{dep}, time.Now().Add(-time.Second))[0]
		var e *promquery.Error
		switch {
		case r.Err == nil && r.Observation.P99 != nil:
			return r.Observation
		case errors.As(r.Err, &e) && !e.NoData():
			t.Fatal(e)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("no observation within a minute, last: %v", r.Err)
		}
	}
}

// checkMean compares sum and counts with what is observed at every scrape.
func checkMean(t *testing.T, h latency.Histogram) {
	t.Helper()
	var sum float64
	for i := range 200 {
		sum += 0.18 * math.Exp(0.8*math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/200-1))
	}
	mean, ok := h.Mean()
	if want := sum / 201; !ok || math.Abs(mean/want-1) > 1e-6 {
		t.Errorf("mean %v, want %v", mean, want)
	}
}
