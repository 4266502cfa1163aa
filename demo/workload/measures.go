package workload

import (
	"github.com/prometheus/client_golang/prometheus"
)

// measures are what a service measures of one kind of call. Counters are there
// from the start: one that is born with its first event loses that event to
// rate().
type measures struct {
	duration prometheus.Histogram

	// The caller's, per attempt.
	attempts, timeouts, errors prometheus.Counter
	// The caller's, per call.
	calls, retries, fallbacks prometheus.Counter
}

// newMeasures registers what the caller and the callee of a shape measure.
func newMeasures(s Shape, callee string, atCaller, atCallee prometheus.Registerer) measures {
	labels := prometheus.Labels{"server_address": callee}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels})
		atCaller.MustRegister(c)
		return c
	}
	m := measures{
		attempts:  counter("http_client_attempts_total", "Attempts that have ended."),
		timeouts:  counter("http_client_timeouts_total", "Attempts cut off by a timeout or a deadline."),
		errors:    counter("http_client_errors_total", "Attempts that failed otherwise than by a timeout."),
		calls:     counter("http_client_calls_total", "Calls that have ended, each with all its attempts."),
		retries:   counter("http_client_retries_total", "Attempts after the first one."),
		fallbacks: counter("http_client_fallbacks_total", "Calls whose every attempt failed."),
	}
	if s.Recording == AtCallee {
		m.duration = prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "http_server_request_duration_seconds", Help: "Time to answer a request.",
			Buckets: s.Buckets,
		})
		atCallee.MustRegister(m.duration)
		return m
	}
	m.duration = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "http_client_request_duration_seconds", Help: "Time of an attempt.",
		Buckets: s.Buckets, ConstLabels: labels,
	})
	atCaller.MustRegister(m.duration)
	return m
}
