package config

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/prometheus/prometheus/promql/parser"
)

// kindSummary is the latency.kind without buckets.
const kindSummary = "summary"

// settleSource leaves one source of latency: the one that the dependency sets
// itself replaces the one of the defaults, with the keys that say how to read
// that. Keys of the dependency's own that its source does not have are refused.
func (s scope) settleSource(d *draft) {
	l := &d.Latency
	_, ownHistogram, _ := s.find("latency.histogram")
	_, ownUnit, _ := s.find("latency.unit")
	ownQuantiles := d.quantilesAt == s.own+".latency.quantiles"
	switch {
	case len(l.Quantiles) == 0:
	case ownQuantiles && ownHistogram:
		s.conflict([]string{"latency.quantiles", "latency.histogram"},
			"quantiles and a histogram cannot both be read, got %s too; drop the quantiles, which say less", show(l.Histogram))
	case ownHistogram:
		l.Quantiles = nil
		if !ownUnit {
			d.unit = "auto"
		}
	default:
		if l.Histogram != "" && !ownUnit {
			d.unit = "auto"
		}
		s.settleQuantiles(l)
		return
	}
	if l.Kind == kindSummary {
		s.settleSummary(l)
	}
}

// settleQuantiles drops what only a histogram has.
func (s scope) settleQuantiles(l *Latency) {
	for _, own := range []struct {
		key string
		set bool
	}{
		{"latency.selector", len(l.Matchers) > 0},
		{"latency.kind", l.Kind != "auto"},
		{"latency.replica_label", l.ReplicaLabel != ""},
	} {
		if own.set {
			s.conflict([]string{own.key}, "belongs to a histogram, and latency.quantiles are read; put what it says into their PromQL")
		}
	}
	l.Histogram, l.Matchers, l.Kind, l.ReplicaLabel = "", nil, "auto", ""
}

// settleSummary drops what a summary has no counts for.
func (s scope) settleSummary(l *Latency) {
	if l.ReplicaLabel != "" {
		s.conflict([]string{"latency.replica_label"}, "needs a histogram; a summary has no counts by which to compare replicas")
		l.ReplicaLabel = ""
	}
	for _, m := range l.Matchers {
		if m.Name == labelQuantile {
			s.conflict([]string{"latency.selector", "latency.kind"}, "must not choose quantiles of a summary, got %s; 0.5 and 0.99 are needed", m)
			return
		}
	}
}

// labelQuantile is the label by which a summary's quantiles are told apart.
const labelQuantile = "quantile"

// settleUnit finds the unit under auto.
func (s scope) settleUnit(d *draft) {
	l := &d.Latency
	if len(l.Quantiles) > 0 {
		l.UnitScale = 1
		if d.unit != "auto" {
			l.UnitScale, _ = unitScale(d.unit, "")
			return
		}
		if name := notSeconds(l.Quantiles); name != "" {
			s.conflict([]string{"latency.quantiles", "latency.unit"},
				"unit auto takes quantiles for seconds, and %s does not look like it; set unit to what the PromQL gives", show(name))
		}
		return
	}
	scale, err := unitScale(d.unit, l.Histogram)
	if err != nil {
		s.conflict([]string{"latency.histogram", "latency.unit"}, "unit auto does not fit %s: %s; name the unit if the name is wrong", show(l.Histogram), err)
	}
	l.UnitScale = scale
}

// notSeconds finds a metric whose name says another unit. The PromQL around it
// may turn it into seconds, or not.
func notSeconds(quantiles []Quantile) string {
	found := ""
	for _, q := range quantiles {
		expr, err := newParser().ParseExpr(ExpandWindow(q.Query, time.Hour))
		if err != nil {
			continue // refused where it was read
		}
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok && found == "" && namesOtherUnit(metricName(selector)) {
				found = metricName(selector)
			}
			return nil
		})
	}
	return found
}

// namesOtherUnit goes by the words of a name, wherever they stand: being wrong
// costs no more than a line that names the unit.
func namesOtherUnit(metric string) bool {
	words := strings.FieldsFunc(strings.ToLower(metric), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if slices.Contains(words, "seconds") {
		return false
	}
	scale, err := unitScale("auto", metric)
	return err != nil || scale != 1 || slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains([]string{"milliseconds", "millis", "ms", "microseconds", "us", "nanoseconds", "ns"}, word)
	})
}

// checkSource reports a dependency that says nowhere what its latency is.
func (s scope) checkSource(d *draft) {
	line := d.Line
	if m, own, _ := s.find("latency"); own {
		line = m.line
	}
	switch _, _, set := s.find("latency.histogram"); {
	case !s.sound("latency", "latency.quantiles", "latency.preset"):
	case len(d.Latency.Quantiles) > 0:
		if m, own, _ := s.find("latency.quantiles"); own {
			line = m.line
		}
		if missing := missingQuantiles(d.Latency.Quantiles); len(missing) > 0 {
			s.problem(line, s.own+".latency.quantiles", "has no %s; 0.5 and 0.99 are both needed", enumerate(missing, "and no"))
		}
	case !set && d.Latency.Histogram == "":
		s.problem(line, s.own+".latency.histogram", "is missing; it is a name such as http_client_request_duration_seconds")
	}
}
