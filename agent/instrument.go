package agent

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// instrument holds the metrics about the auditor itself.
type instrument struct {
	cycles        *prometheus.CounterVec
	cycleDuration prometheus.Histogram
	cyclesMissed  prometheus.Counter
	cyclesCut     prometheus.Counter
	lastCycle     prometheus.Gauge
	lastSuccess   prometheus.Gauge
	reloadOK      prometheus.Gauge
	reloadedAt    prometheus.Gauge
}

func newInstrument(r prometheus.Registerer) *instrument {
	i := &instrument{
		cycles: prometheus.NewCounterVec(counterOpts(metric.Cycles), metric.Lookup(metric.Cycles).Labels),
		cycleDuration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: metric.CycleDuration, Help: metric.Lookup(metric.CycleDuration).Help,
			Buckets: prometheus.ExponentialBuckets(0.01, 3, 10),
		}),
		cyclesMissed: prometheus.NewCounter(counterOpts(metric.CyclesMissed)),
		cyclesCut:    prometheus.NewCounter(counterOpts(metric.CyclesCutShort)),
		lastCycle:    prometheus.NewGauge(gaugeOpts(metric.LastCycle)),
		lastSuccess:  prometheus.NewGauge(gaugeOpts(metric.LastSuccess)),
		reloadOK:     prometheus.NewGauge(gaugeOpts(metric.ConfigReloadSuccessful)),
		reloadedAt:   prometheus.NewGauge(gaugeOpts(metric.ConfigReloadSuccessSecond)),
	}
	for _, result := range report.Results() {
		i.cycles.WithLabelValues(string(result))
	}
	r.MustRegister(i.cycles, i.cycleDuration, i.cyclesMissed, i.cyclesCut, i.lastCycle, i.lastSuccess, i.reloadOK, i.reloadedAt)
	return i
}

func counterOpts(name string) prometheus.CounterOpts {
	return prometheus.CounterOpts{Name: name, Help: metric.Lookup(name).Help}
}

func gaugeOpts(name string) prometheus.GaugeOpts {
	return prometheus.GaugeOpts{Name: name, Help: metric.Lookup(name).Help}
}

func (i *instrument) cycleEnded(r *report.Report, at time.Time) {
	i.cycles.WithLabelValues(string(r.Result())).Inc()
	i.cycleDuration.Observe(r.Duration.Seconds())
	i.lastCycle.Set(unixSeconds(at))
	if r.Result() != report.Failure {
		i.lastSuccess.Set(unixSeconds(at))
	}
}

func (i *instrument) missed(n int) { i.cyclesMissed.Add(float64(n)) }

func (i *instrument) cutShort() { i.cyclesCut.Inc() }

func (i *instrument) reloadFailed() { i.reloadOK.Set(0) }

func (i *instrument) reloadSucceeded(at time.Time) {
	i.reloadOK.Set(1)
	i.reloadedAt.Set(unixSeconds(at))
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1e3 }

// QueryMetrics registers the metrics about queries and returns what counts one:
// a promquery.Options.OnQuery that outlives the clients of single reloads.
func QueryMetrics(r prometheus.Registerer) func(promquery.Outcome, time.Duration) {
	queries := prometheus.NewCounterVec(counterOpts(metric.Queries), metric.Lookup(metric.Queries).Labels)
	duration := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: metric.QueryDuration, Help: metric.Lookup(metric.QueryDuration).Help,
		Buckets: prometheus.ExponentialBuckets(0.005, 3, 9),
	})
	for _, outcome := range promquery.Outcomes() {
		queries.WithLabelValues(string(outcome))
	}
	r.MustRegister(queries, duration)
	return func(outcome promquery.Outcome, took time.Duration) {
		queries.WithLabelValues(string(outcome)).Inc()
		duration.Observe(took.Seconds())
	}
}
