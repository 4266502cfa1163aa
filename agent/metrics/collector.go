package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// Collector exports what the newest report says of each dependency.
type Collector struct {
	report func() *report.Report
	now    func() time.Time
	descs  map[string]*prometheus.Desc
}

// NewCollector reads reports from current, which may return nil, and tells
// their age by now.
func NewCollector(current func() *report.Report, now func() time.Time) *Collector {
	descs := map[string]*prometheus.Desc{}
	for _, row := range append(metric.PerDependency(), metric.PerChain()...) {
		descs[row.Name] = prometheus.NewDesc(row.Name, row.Help, row.Labels, nil)
	}
	return &Collector{report: current, now: now, descs: descs}
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, desc := range c.descs {
		ch <- desc
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	c.visit(c.report(), everyFamily, func(s series) {
		ch <- prometheus.MustNewConstMetric(c.descs[s.name], prometheus.GaugeValue, rounded(s.value), s.labels[:s.n]...)
	})
}

// rounded is a value with the digits that are written.
func rounded(v float64) float64 {
	if written, err := strconv.ParseFloat(string(appendValue(nil, v)), 64); err == nil {
		return written
	}
	return v
}

// series is one series, with the values of its labels in the family's order:
// those of its subject first.
type series struct {
	name   string
	value  float64
	labels [subjectLabels + extraLabels]string
	n      int // of labels
}

// What a subject and a family have in labels, at most.
const (
	subjectLabels = 4
	extraLabels   = 3
)

// everyFamily stands for all names.
const everyFamily = ""

// visit emits every series of a report, which may be nil, or those of one family
// alone. Nothing is allocated for a series: a scrape has hundreds of thousands.
func (c *Collector) visit(r *report.Report, family string, to func(series)) {
	if r == nil {
		return
	}
	now := c.now()
	for _, d := range r.Dependencies {
		e := export{to, family, [subjectLabels]string{d.Dependency.Name, d.Dependency.Caller, d.Dependency.Callee, d.Dependency.Owner}}
		e.policy(d.Assessment)
		if now.Sub(r.At) <= r.StaleAfter {
			e.status(d.Status)
		}
		if figures := r.Figures(d, now); figures != nil {
			e.figures(figures, r.Detail)
		}
		for _, finding := range d.Findings {
			e.set(metric.Finding, 1, "", finding.Rule, string(finding.Severity))
		}
	}
	for _, chain := range r.Chains {
		exportChain(to, family, chain, now.Sub(r.At) <= r.StaleAfter)
	}
}

func exportChain(to func(series), family string, chain report.Chain, fresh bool) {
	e := export{to, family, [subjectLabels]string{chain.Chain.Name, chain.Chain.Caller, "", chain.Chain.Owner}}
	e.set(metric.ChainBudget, chain.Chain.Deadline.Seconds())
	e.set(metric.ChainWorstCaseAmplification, chain.WorstCase)
	if fresh {
		e.set(metric.ChainNeeded, chain.Needed)
		e.setKnown(metric.ChainAmplification, chain.Amplification)
	}
	about := export{to, family, [subjectLabels]string{"", chain.Chain.Caller, "", chain.Chain.Owner}}
	for _, finding := range chain.Findings {
		about.set(metric.Finding, 1, chain.Chain.Name, finding.Rule, string(finding.Severity))
	}
}

// export emits one subject's series, of one family or of every one.
type export struct {
	to      func(series)
	family  string
	subject [subjectLabels]string
}

func (e export) set(name string, value float64, extra ...string) {
	if e.family != everyFamily && e.family != name {
		return
	}
	s := series{name: name, value: value, n: subjectLabels + len(extra)}
	copy(s.labels[:], e.subject[:])
	copy(s.labels[subjectLabels:], extra)
	e.to(s)
}

func (e export) setKnown(name string, value *float64) {
	if value != nil {
		e.set(name, *value)
	}
}

func (e export) policy(a *audit.Assessment) {
	if a.Policy.Timeout > 0 {
		e.set(metric.PolicyTimeout, a.Policy.Timeout)
	}
	e.set(metric.PolicyRetries, float64(a.Policy.Retries))
	e.set(metric.WorstCaseAmplification, float64(a.WorstCase))
}

var statuses = latency.Statuses()

func (e export) status(current latency.Status) {
	for _, status := range statuses {
		value := 0.0
		if status == current {
			value = 1
		}
		e.set(metric.DependencyStatus, value, string(status))
	}
}

func (e export) figures(a *audit.Assessment, detail bool) {
	if p := a.FalseTimeout; p != nil {
		e.set(metric.PredictedFalseTimeoutRatio, p.Point)
		e.set(metric.FalseTimeoutRatioLower, p.Lower)
		e.set(metric.FalseTimeoutRatioUpper, p.Upper)
	}
	e.setKnown(metric.LognormalFalseTimeoutRatio, a.LognormalRatio)
	e.setKnown(metric.ObservedFalseTimeoutRatio, a.ObservedRatio)
	if f := a.Fallback; f != nil {
		e.set(metric.PredictedFallbackRatio, f.Cause.Timeout, "timeout")
		e.set(metric.PredictedFallbackRatio, f.Cause.Error, "error")
		e.set(metric.PredictedFallbackRatio, f.Cause.Mixed, "mixed")
		e.set(metric.CorrelationRatio, a.Correlation.Value, a.Correlation.Source)
	}
	if a.Amplification != nil {
		e.set(metric.PredictedAmplification, a.Amplification.Point)
	}
	e.setKnown(metric.LatencyP50, a.P50)
	e.setKnown(metric.LatencyP99, a.P99)
	if a.Lognormal != nil {
		e.set(metric.LognormalSigma, a.Lognormal.Sigma)
	}
	e.setKnown(metric.TimeoutP99Ratio, a.TimeoutP99Ratio)
	e.setKnown(metric.TripPoint, a.TripPoint)
	e.setKnown(metric.UnknownOutcomes, a.UnknownOutcomesPerSecond)
	e.setKnown(metric.AttemptsPerSecond, a.AttemptsPerSecond)
	if r := a.Recommendation; r != nil {
		e.setKnown(metric.RecommendedTimeout, r.Target)
		e.setKnown(metric.RecommendedTimeoutStep, r.Step)
	}
	if a.Tail != nil {
		e.set(metric.Samples, a.Tail.Samples)
		if detail {
			e.detail(a.Tail)
		}
	}
}

func (e export) detail(tail *latency.Tail) {
	for _, q := range []struct {
		name string
		rank float64
	}{{metric.LatencyP90, 0.9}, {metric.LatencyP999, 0.999}} {
		if value, bounded := tail.Merged.Quantile(q.rank); bounded {
			e.set(q.name, value)
		}
	}
	if tail.Fit != nil {
		e.set(metric.FitKSDistance, tail.Fit.Misfit.KS)
	}
}
