package promquery

import (
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// form is how the server stores a histogram.
type form string

const (
	classic form = "classic" // a counter per bound: NAME_bucket{le="…"}
	native  form = "native"  // one series whose samples are histograms: NAME
)

// What else latency may be read from.
const (
	summary   = "summary"   // latency.kind: NAME{quantile="…"}
	quantiles = "quantiles" // PromQL for single quantiles
)

// forms returns what the configured kind admits, the preferred one first.
func forms(kind string) []form {
	switch kind {
	case string(classic):
		return []form{classic}
	case string(native):
		return []form{native}
	default:
		return []form{native, classic}
	}
}

// totals selects one series per histogram: the +Inf bucket, which counts every
// observation, or the native histogram itself.
func (f form) totals(l config.Latency) *parser.VectorSelector {
	if f == native {
		return series(l.Histogram, l.Matchers...)
	}
	matchers := append([]*labels.Matcher{equal(labels.BucketLabel, "+Inf")}, l.Matchers...)
	return series(l.Histogram+"_bucket", matchers...)
}

// buckets selects all counts.
func (f form) buckets(l config.Latency) *parser.VectorSelector {
	if f == native {
		return series(l.Histogram, l.Matchers...)
	}
	return series(l.Histogram+"_bucket", l.Matchers...)
}

// histograms keeps only series whose value is a histogram, so that a gauge of
// the same name is never taken for one. Classic ones are known by their name.
func (f form) histograms(expr parser.Expr) parser.Expr {
	if f == native {
		return call("histogram_count", expr)
	}
	return expr
}

// merged adds up the histograms of all series, or of those with the same value
// of the given labels.
func (f form) merged(expr parser.Expr, by ...string) parser.Expr {
	if f == native {
		return aggregate(parser.SUM, expr, by...)
	}
	return aggregate(parser.SUM, expr, append([]string{labels.BucketLabel}, by...)...)
}
