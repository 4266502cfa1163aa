package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/timeout-auditor/timeout-auditor/agent/metrics"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// exposition is what /metrics takes, beside as many constant metrics of
// client_golang's own.
type exposition struct {
	bytes, series     int
	own, clientGolang time.Duration
}

// constants are gauges that never change.
type constants struct {
	descs []*prometheus.Desc
	n     int
}

func (c constants) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
}

func (c constants) Collect(ch chan<- prometheus.Metric) {
	for i := range c.n {
		name := peer(i / len(c.descs))
		ch <- prometheus.MustNewConstMetric(c.descs[i%len(c.descs)], prometheus.GaugeValue, 0.0123456789, name, "bench", name, "")
	}
}

func measureExposition(r *report.Report) exposition {
	own := prometheus.NewRegistry()
	own.MustRegister(metrics.NewCollector(func() *report.Report { return r }, func() time.Time { return r.At }))
	families, _ := own.Gather()
	found := exposition{}
	var descs []*prometheus.Desc
	for _, family := range families {
		found.series += len(family.GetMetric())
		descs = append(descs, prometheus.NewDesc("constant_"+family.GetName(), family.GetHelp(), []string{"dependency", "caller", "callee", "owner"}, nil))
	}
	library := prometheus.NewRegistry()
	library.MustRegister(constants{descs, found.series})
	ours := metrics.NewCollector(func() *report.Report { return r }, func() time.Time { return r.At }).Handler(prometheus.NewRegistry())
	theirs := promhttp.HandlerFor(library, promhttp.HandlerOpts{})
	var a, b times
	for range rounds {
		took, size := serve(ours)
		a, found.bytes = append(a, took), size
		took, _ = serve(theirs)
		b = append(b, took)
	}
	found.own, found.clientGolang = a.median(), b.median()
	return found
}

func serve(h http.Handler) (time.Duration, int) {
	w := httptest.NewRecorder()
	began := time.Now()
	h.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/metrics", nil))
	return time.Since(began), w.Body.Len()
}
