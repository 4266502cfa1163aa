package exposition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/nearest"
)

// isHistogram says why a name is no histogram that can be read.
func (e *Exposition) isHistogram(metric string) error {
	declared := e.families[metric]
	at := func(name string) place {
		if all := e.samples[name]; declared.kind == "" && len(all) > 0 {
			return place{metric, all[0].line}
		}
		return place{metric, declared.kindLine}
	}
	no := func(p place, what string) error {
		return e.about(p, latency.ReasonNoHistogram, "%s; %s", what, e.known())
	}
	plain, total, count := e.samples[metric], e.samples[metric+"_total"], e.samples[metric+"_count"]
	switch kind := declared.kind; {
	case kind == kindGaugeHistogram:
		return no(at(""), "is a gauge histogram, whose buckets rise and fall and count no calls")
	case len(e.samples[metric+"_bucket"])+len(e.natives[metric]) > 0:
		return nil
	case kind == kindHistogram && len(count) == 0:
		return e.about(at(""), "", "is declared and has no series yet: nothing was measured since the process started")
	case kind == kindSummary || len(plain) > 0 && plain[0].labels.Has(model.QuantileLabel):
		return no(at(metric), "is a summary, whose quantiles say nothing about a timeout; expose a histogram")
	case kind == "counter" || len(total) > 0:
		return no(at(metric+"_total"), "is a counter and no histogram")
	case kind == "gauge" || kind == "info" || kind == "stateset":
		return no(at(metric), "is of type "+kind+" and no histogram")
	case len(plain) > 0:
		return no(at(metric), "has no _bucket series, so it is no histogram")
	case len(count) > 0:
		return no(at(metric+"_count"), "has _count and no _bucket series; enable its buckets where it is measured, and keep them when filtering the file")
	}
	return e.about(place{metric, 0}, "", "no such metric; %s", e.similar(metric))
}

// nothingSelected says which series there are instead.
func (e *Exposition) nothingSelected(s Selection) error {
	var there []string
	for _, b := range e.samples[s.Metric+"_bucket"] {
		there = append(there, labels.NewBuilder(b.labels).Del(labels.BucketLabel).Labels().String())
	}
	for _, n := range e.natives[s.Metric] {
		there = append(there, n.labels.String())
	}
	slices.Sort(there)
	matchers := make([]string, len(s.Matchers))
	for i, m := range s.Matchers {
		matchers[i] = m.String()
	}
	return e.about(place{s.Metric, 0}, "", "no series match {%s}; there are %s", strings.Join(matchers, ","), first(slices.Compact(there)))
}

// similar suggests a histogram of nearly that name, and lists what there is.
func (e *Exposition) similar(metric string) string {
	best := nearest.Name(metric, e.Histograms())
	if best == "" {
		return e.known()
	}
	return fmt.Sprintf("did you mean %s? Histograms here: %s", best, first(e.Histograms()))
}

// known lists the histograms of the file.
func (e *Exposition) known() string {
	names := e.Histograms()
	if len(names) == 0 {
		return "the file has no histogram"
	}
	return "histograms here: " + first(names)
}

// first lists some of many.
func first(names []string) string {
	const shown = 10
	if more := len(names) - shown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), more)
	}
	return strings.Join(names, ", ")
}
