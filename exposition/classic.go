package exposition

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// classic is one series of a classic histogram.
type classic struct {
	labels  labels.Labels // without le
	line    int           // of its first bucket
	buckets map[float64]bucket
	sum     float64  // NaN without one
	count   *float64 // nil without one
}

// bucket is a cumulative count; le is the bound as it is written.
type bucket struct {
	le    string
	count float64
	line  int
}

// bounds lists the upper bounds, ascending.
func (c classic) bounds() []float64 { return slices.Sorted(maps.Keys(c.buckets)) }

// classicSeries collects and checks the selected series, in the order of the
// file.
func (e *Exposition) classicSeries(s Selection) ([]*classic, error) {
	var found []*classic
	byLabels := map[string]*classic{}
	for _, b := range e.samples[s.Metric+"_bucket"] {
		if !s.selects(b.labels) {
			continue
		}
		ls := labels.NewBuilder(b.labels).Del(labels.BucketLabel).Labels()
		series := byLabels[ls.String()]
		if series == nil {
			series = &classic{labels: ls, line: b.line, buckets: map[float64]bucket{}, sum: math.NaN()}
			byLabels[ls.String()] = series
			found = append(found, series)
		}
		if err := e.addBucket(s.Metric, series, b); err != nil {
			return nil, err
		}
	}
	for _, c := range e.samples[s.Metric+"_count"] {
		if series := byLabels[c.labels.String()]; series != nil {
			series.count = &c.value
		}
	}
	for _, sum := range e.samples[s.Metric+"_sum"] {
		if series := byLabels[sum.labels.String()]; series != nil {
			series.sum = sum.value
		}
	}
	return found, nil
}

func (e *Exposition) addBucket(metric string, series *classic, b sample) error {
	le := b.labels.Get(labels.BucketLabel)
	if le == "" {
		return e.about(place{metric, b.line}, latency.ReasonNoHistogram, "a _bucket series has no le label, so it is no bucket")
	}
	bound, err := strconv.ParseFloat(le, 64)
	if err != nil || math.IsNaN(bound) || math.IsInf(bound, -1) {
		return e.about(place{metric, b.line}, latency.ReasonNoHistogram, "a bucket bound must be a number or +Inf, got le=%s", shown(le))
	}
	if math.IsNaN(b.value) || math.IsInf(b.value, 0) || b.value < 0 {
		return e.about(place{metric, b.line}, latency.ReasonNonMonotonic, "the bucket le=%q has the count %g; a count is a finite number of at least 0", le, b.value)
	}
	if other, twice := series.buckets[bound]; twice {
		return e.about(place{metric, b.line}, latency.ReasonNoHistogram, "the bucket le=%q of %s %s; keep one moment of one process in the file, with each bucket once",
			le, named(series.labels), repeats(other, le))
	}
	series.buckets[bound] = bucket{le: le, count: b.value, line: b.line}
	return nil
}

// repeats says what a bucket has in common with an earlier one.
func repeats(other bucket, le string) string {
	text := "comes twice"
	if other.le != le {
		text = fmt.Sprintf("has the same bound as le=%q", other.le)
	}
	if other.line > 0 {
		text += fmt.Sprintf(" (line %d)", other.line)
	}
	return text
}

// sumClassic adds up series that share their bounds. The notes say what is odd
// about them.
func (e *Exposition) sumClassic(s Selection, all []*classic) (latency.Histogram, []string, error) {
	bounds := all[0].bounds()
	counts := make([]float64, len(bounds))
	var sum float64
	var notes []string
	for _, series := range all {
		if err := e.checkSeries(s.Metric, series); err != nil {
			return latency.Histogram{}, nil, err
		}
		if !slices.Equal(series.bounds(), bounds) {
			return latency.Histogram{}, nil, e.mixedBuckets(s.Metric, all[0], series)
		}
		for i, bound := range bounds {
			counts[i] += series.buckets[bound].count
		}
		if in := series.buckets[math.Inf(1)].count; series.count != nil && *series.count != in {
			notes = append(notes, fmt.Sprintf("_count of %s is %g and its +Inf bucket holds %g: the buckets are read", named(series.labels), *series.count, in))
		}
		sum += series.sum
	}
	for i, bound := range bounds {
		bounds[i] = s.seconds(bound)
	}
	hist, err := latency.FromCumulative(bounds, counts)
	if err != nil { // each series alone was in order
		return latency.Histogram{}, nil, because(err, e.about(place{s.Metric, all[0].line}, latency.ReasonNoHistogram, "the series cannot be added up: %v", err))
	}
	if sum = s.seconds(sum); math.IsNaN(sum) || math.IsInf(sum, 0) {
		notes = append(notes, "not every series has a _sum, so the mean cannot tell a mistaken unit")
	} else {
		hist.Sum = &sum
	}
	return hist, notes, nil
}

// checkSeries refuses a series from which no histogram follows.
func (e *Exposition) checkSeries(metric string, series *classic) error {
	bounds := series.bounds()
	counts := make([]float64, len(bounds))
	for i, bound := range bounds {
		counts[i] = series.buckets[bound].count
	}
	_, err := latency.FromCumulative(bounds, counts)
	var falls *latency.NonMonotonicError
	switch {
	case errors.As(err, &falls):
		high, low := series.buckets[falls.Bound], series.buckets[falls.LowerBound]
		return because(err, e.about(place{metric, high.line}, latency.ReasonNonMonotonic,
			"the bucket le=%q of %s holds %g, less than the %g of le=%q, and each bucket counts all below it too: "+
				"were replicas merged by max instead of sum? Read what one process exposes itself",
			high.le, named(series.labels), high.count, low.count, low.le))
	case errors.Is(err, latency.ErrNoInfBucket):
		return because(err, e.about(place{metric, series.line}, latency.ReasonNoHistogram,
			"%s has no bucket le=\"+Inf\", which counts all calls; keep it when filtering the file", named(series.labels)))
	case err != nil:
		return because(err, e.about(place{metric, series.line}, latency.ReasonNoHistogram, "%s is no histogram: %v", named(series.labels), err))
	case len(bounds) == 1:
		return e.about(place{metric, series.line}, latency.ReasonNoHistogram,
			"%s has the bucket le=\"+Inf\" alone; enable its buckets where it is measured, or, if it is a native histogram, fetch protobuf: "+
				"curl -H 'Accept: application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited'",
			named(series.labels))
	}
	for i, bound := range bounds {
		if bound < 0 && counts[i] > 0 {
			low := series.buckets[bound]
			return e.about(place{metric, low.line}, latency.ReasonNoHistogram, "the bucket le=%q holds %g values below 0, and latencies are not; is this the right metric?", low.le, low.count)
		}
	}
	return nil
}

// mixedBuckets names a bound that one series has and the other has not.
func (e *Exposition) mixedBuckets(metric string, a, b *classic) error {
	has, lacks := a, b
	le, found := onlyIn(has, lacks)
	if !found {
		has, lacks = b, a
		le, _ = onlyIn(has, lacks)
	}
	return e.about(place{metric, b.line}, latency.ReasonMixedBuckets,
		"series with different bucket bounds cannot be added up: %s has le=%q and %s has not; select series that share their buckets",
		named(has.labels), le, named(lacks.labels))
}

func onlyIn(has, lacks *classic) (le string, found bool) {
	for _, bound := range has.bounds() {
		if _, shared := lacks.buckets[bound]; !shared {
			return has.buckets[bound].le, true
		}
	}
	return "", false
}

// named is a series in a sentence.
func named(ls labels.Labels) string {
	if ls.IsEmpty() {
		return "the series without labels"
	}
	return ls.String()
}
