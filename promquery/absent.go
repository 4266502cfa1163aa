package promquery

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// askNames finds out what there is instead, when nothing answers to the
// dependency's name and selector. judge says what is wrong with what there is.
func (s *subject) askNames(judge func(family, config.Latency) *Error) []question {
	back := s.dep.Window
	q := s.target.ask(wording{purpose: purposeNames, over: back})
	q.cost = s.target.expected().scrapes()
	q.read = func(o *latency.Observation, r reply) *Error {
		found, err := readNames(r)
		if err == nil {
			err = judge(found, s.dep.Latency)
		}
		if err != nil {
			return err
		}
		when := "in the last " + model.Duration(back).String()
		if s.dep.Latency.Kind == summary {
			when = "just now"
		}
		return &Error{
			Kind:  KindNoData,
			Query: o.Queries[0],
			Message: fmt.Sprintf("no series match %s %s: check name and selector; check-config --online says which part matches nothing",
				selectorText(s.dep.Latency), when),
		}
	}
	return []question{q}
}

func noHistogramAmong(f family, l config.Latency) *Error { return f.noHistogram(l) }

func noSummaryAmong(f family, l config.Latency) *Error { return f.noSummary(l) }

// selectorText is the histogram as the user wrote it.
func selectorText(l config.Latency) string {
	return series(l.Histogram, l.Matchers...).String()
}

// namesQuery asks which of the series that go with a histogram's name exist.
func namesQuery(l config.Latency, back time.Duration) latency.Query {
	return latency.Query{Purpose: purposeNames, PromQL: namesExpr(l, back)}
}

func namesExpr(l config.Latency, back time.Duration) parser.Expr {
	name := regexp.QuoteMeta(l.Histogram)
	family := labels.MustNewMatcher(labels.MatchRegexp, model.MetricNameLabel, name+"(_bucket|_count|_sum)?")
	vs := &parser.VectorSelector{LabelMatchers: append([]*labels.Matcher{family}, l.Matchers...)}
	return aggregate(parser.COUNT, over("last_over_time", vs, back), model.MetricNameLabel)
}

// family counts the series of each name that goes with a histogram.
type family map[string]int

func (c *Client) names(ctx context.Context, q latency.Query, at time.Time) (family, *Error) {
	answer, err := c.sender.instant(ctx, q, at)
	if err != nil {
		return nil, err
	}
	found, err := readNames(answer)
	return found, about(q, err)
}

func readNames(r reply) (family, *Error) {
	vector, err := elements(r.value)
	if err != nil {
		return nil, err
	}
	found := family{}
	for _, sample := range vector {
		found[sample.value(model.MetricNameLabel)] = int(sample.point().number)
	}
	return found, nil
}

// noHistogram says what the found series are, given that they are no histogram
// of the configured kind; nil where there are none at all.
func (f family) noHistogram(l config.Latency) *Error {
	name := l.Histogram
	switch {
	case f[name+"_bucket"] > 0 && l.Kind == string(native):
		return noHistogram(fmt.Sprintf("%s has classic buckets and no native ones; set latency.kind to auto or classic", name))
	case f[name+"_bucket"] > 0:
		return noHistogram(fmt.Sprintf("%s_bucket has no le=\"+Inf\" series; do not drop that bucket when scraping", name))
	case f[name] > 0 && l.Kind == string(classic):
		return noHistogram(fmt.Sprintf("%s has no _bucket series; set latency.kind to auto if it is a native histogram", name))
	case f[name] > 0 && f[name+"_count"] > 0:
		return noHistogram(fmt.Sprintf("%s is a summary, whose quantiles cannot be added up over replicas; record a histogram instead, or set latency.kind to summary for its own p50 and p99", name))
	case f[name] > 0:
		return noHistogram(fmt.Sprintf("%s is a gauge or a counter", name))
	case f[name+"_count"] > 0 || f[name+"_sum"] > 0:
		return noHistogram(fmt.Sprintf("%s has a count and a sum and no buckets; enable its buckets where it is measured", name))
	}
	return nil
}
