package promquery

import (
	"context"
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// summary asks a summary for its median and p99, and returns how many series it
// has.
func (c *Client) summary(ctx context.Context, o *latency.Observation, dep config.Dependency) (int, *Error) {
	o.QuantilesOnly = true
	q := summaryQuery(dep.Latency)
	o.Queries = append(o.Queries, q)
	answer, err := c.sender.instant(ctx, q, o.At)
	if err != nil {
		return 0, err
	}
	o.Notes = append(o.Notes, answer.notes...)
	found, err := decodeSummary(answer.value)
	if err != nil {
		return 0, about(q, err)
	}
	if len(found) == 0 {
		return 0, c.noSummary(ctx, o, dep)
	}
	series := 0
	for _, p := range []float64{median, p99} {
		s := found[p]
		switch {
		case s.series == 0:
			return series, about(q, &Error{
				Kind: KindUnusable,
				Message: fmt.Sprintf("%s has no series with quantile=\"%g\": record that quantile where it is measured, or give PromQL for both under latency.quantiles",
					selectorText(dep.Latency), p),
			})
		case s.largest == 0:
			return s.series, about(q, &Error{
				Kind:    KindNoData,
				Message: fmt.Sprintf("the summary has seen no call lately: its quantile %g has no value on any of %d series", p, s.series),
			})
		}
		addQuantile(o, p, unit(dep.Latency.UnitScale).seconds(s.largest))
		series = max(series, s.series)
	}
	o.Notes = append(o.Notes, fmt.Sprintf("the quantiles are the largest of %d series of a summary, since quantiles cannot be averaged; "+
		"they cover the time that the summary itself forgets after, not the window", series))
	return series, nil
}

// noSummary finds out what there is instead of a summary. It always returns an
// error.
func (c *Client) noSummary(ctx context.Context, o *latency.Observation, dep config.Dependency) *Error {
	q := namesQuery(dep.Latency, dep.Window)
	o.Queries = append(o.Queries, q)
	found, err := c.names(ctx, q, o.At)
	if err != nil {
		return err
	}
	if err := found.noSummary(dep.Latency); err != nil {
		return about(q, err)
	}
	return &Error{
		Kind:    KindNoData,
		Query:   o.Queries[0],
		Message: fmt.Sprintf("no series match %s just now: check name and selector; check-config --online says which part matches nothing", selectorText(dep.Latency)),
	}
}

// noSummary says what the found series are, given that none of them is a
// current quantile of a summary; nil where there are none at all.
func (f family) noSummary(l config.Latency) *Error {
	name := l.Histogram
	switch {
	case f[name+"_bucket"] > 0:
		return &Error{Kind: KindUnusable, Message: fmt.Sprintf("not a summary: %s is a histogram, which says more; set latency.kind to auto", name)}
	case f[name] > 0 && f[name+"_count"] > 0:
		return &Error{
			Kind: KindNoData,
			Message: fmt.Sprintf("no series of %s has a current sample of the quantiles 0.5 and 0.99: does it record them, and is the caller still running and scraped?",
				selectorText(l)),
		}
	case f[name] > 0:
		return &Error{Kind: KindUnusable, Message: fmt.Sprintf("not a summary: %s is a gauge, a counter or a native histogram", name)}
	case f[name+"_count"] > 0 || f[name+"_sum"] > 0:
		return &Error{Kind: KindUnusable, Message: fmt.Sprintf("%s has a count and a sum and no quantiles; enable them where it is measured, or better a histogram", name)}
	}
	return nil
}
