package notify

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timeout-auditor/timeout-auditor/metric"
)

// Result says what became of an alert on its way to one Alertmanager.
type Result string

const (
	Success  Result = "success"
	Failed   Result = "failed"   // a try failed, another follows
	Rejected Result = "rejected" // the Alertmanager does not take this alert
	Dropped  Result = "dropped"  // the queue was full
)

// Results lists every result.
func Results() []Result { return []Result{Success, Failed, Rejected, Dropped} }

// instrument holds the metrics about notifications.
type instrument struct {
	notifications *prometheus.CounterVec
	queueLength   *prometheus.GaugeVec
	duration      *prometheus.HistogramVec
}

func newInstrument(r prometheus.Registerer) *instrument {
	of := metric.Lookup
	i := &instrument{
		notifications: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: metric.Notifications, Help: of(metric.Notifications).Help,
		}, of(metric.Notifications).Labels),
		queueLength: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: metric.NotificationQueueLength, Help: of(metric.NotificationQueueLength).Help,
		}, of(metric.NotificationQueueLength).Labels),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: metric.NotificationDuration, Help: of(metric.NotificationDuration).Help,
			Buckets: prometheus.ExponentialBuckets(0.005, 3, 8),
		}, of(metric.NotificationDuration).Labels),
	}
	r.MustRegister(i.notifications, i.queueLength, i.duration)
	return i
}

// begin shows an Alertmanager's metrics before anything was sent, so that the
// first failure is an increase.
func (i *instrument) begin(alertmanager string) {
	for _, result := range Results() {
		i.notifications.WithLabelValues(alertmanager, string(result))
	}
	i.queueLength.WithLabelValues(alertmanager)
	i.duration.WithLabelValues(alertmanager)
}

// end forgets an Alertmanager that is no longer configured.
func (i *instrument) end(alertmanager string) {
	of := prometheus.Labels{"alertmanager": alertmanager}
	i.notifications.DeletePartialMatch(of)
	i.queueLength.DeletePartialMatch(of)
	i.duration.DeletePartialMatch(of)
}

func (i *instrument) count(alertmanager string, result Result, n int) {
	if n > 0 {
		i.notifications.WithLabelValues(alertmanager, string(result)).Add(float64(n))
	}
}

func (i *instrument) queued(alertmanager string, n int) {
	i.queueLength.WithLabelValues(alertmanager).Set(float64(n))
}

func (i *instrument) posted(alertmanager string, took time.Duration) {
	i.duration.WithLabelValues(alertmanager).Observe(took.Seconds())
}
