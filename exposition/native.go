package exposition

import (
	"math"

	"github.com/prometheus/prometheus/model/histogram"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

func (e *Exposition) nativeSeries(s Selection) []native {
	var found []native
	for _, n := range e.natives[s.Metric] {
		if s.selects(n.labels) {
			found = append(found, n)
		}
	}
	return found
}

// sumNative adds up native histograms, whatever their resolutions, by
// Prometheus's own rules.
func (e *Exposition) sumNative(s Selection, all []native) (latency.Histogram, []string, error) {
	total, err := e.addNative(s.Metric, all)
	if err != nil {
		return latency.Histogram{}, nil, err
	}
	hist := latency.Histogram{Scheme: latency.Exponential}
	for it := total.AllBucketIterator(); it.Next(); {
		b := it.At()
		switch {
		case b.Count == 0:
			continue
		case b.Upper <= b.Lower: // the iterator lets no bucket begin inside the zero bucket
			return latency.Histogram{}, nil, e.about(place{s.Metric, 0}, latency.ReasonNoHistogram,
				"%g values lie in a bucket up to %g, and the zero bucket holds all up to %g; the process counts wrongly", b.Count, b.Upper, b.Lower)
		case b.Upper <= 0:
			return latency.Histogram{}, nil, e.about(place{s.Metric, 0}, latency.ReasonNoHistogram,
				"%g values lie between %g and %g, below 0, and latencies do not; is this the right metric?", b.Count, b.Lower, b.Upper)
		}
		hist.Bins = append(hist.Bins, latency.Bin{Lower: s.seconds(b.Lower), Upper: s.seconds(b.Upper), Count: b.Count})
	}
	if sum := s.seconds(total.Sum); !math.IsNaN(sum) && !math.IsInf(sum, 0) {
		hist.Sum = &sum
	}
	var notes []string
	if total.Count-hist.Total() > 1e-6*total.Count {
		notes = append(notes, "the native histogram counts observations that are NaN; they are left out")
	}
	return hist, notes, nil
}

func (e *Exposition) addNative(metric string, all []native) (*histogram.FloatHistogram, error) {
	seen := map[string]bool{}
	var total *histogram.FloatHistogram
	for _, n := range all {
		switch {
		case n.broken != nil:
			return nil, because(n.broken, e.about(place{metric, 0}, latency.ReasonNoHistogram, "%s is no histogram: %v", named(n.labels), n.broken))
		case seen[n.labels.String()]:
			return nil, e.about(place{metric, 0}, latency.ReasonNoHistogram, "%s comes twice; keep one moment of one process in the file", named(n.labels))
		}
		seen[n.labels.String()] = true
		if total == nil {
			total = n.hist.Copy()
			continue
		}
		var err error
		if total, _, _, err = total.Add(n.hist); err != nil {
			return nil, because(err, e.about(place{metric, 0}, latency.ReasonMixedBuckets,
				"the native histogram of %s cannot be added to the others: %v; select series that share their buckets", named(n.labels), err))
		}
	}
	return total, nil
}
