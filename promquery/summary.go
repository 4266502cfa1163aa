package promquery

import (
	"context"
	"fmt"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// askSummary asks a summary for its median and p99.
func (s *subject) askSummary() []question {
	q := s.target.ask(wording{purpose: purposeSummary})
	q.read, q.cost = s.readSummary, cost{bytes: 4 * bytesPerSeries}
	return []question{q}
}

func (s *subject) readSummary(o *latency.Observation, r reply) *Error {
	found, err := decodeSummary(r.value)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		s.next = func() []question { return s.askNames(noSummaryAmong) }
		return nil
	}
	for _, p := range []float64{median, p99} {
		f := found[p]
		s.series = max(s.series, f.series)
		switch {
		case f.series == 0:
			return &Error{
				Kind: KindUnusable,
				Message: fmt.Sprintf("%s has no series with quantile=\"%g\": record that quantile where it is measured, or give PromQL for both under latency.quantiles",
					selectorText(s.dep.Latency), p),
			}
		case f.largest == 0:
			return &Error{
				Kind:    KindNoData,
				Message: fmt.Sprintf("the summary has seen no call lately: its quantile %g has no value on any of %d series", p, f.series),
			}
		}
		addQuantile(o, p, unit(s.dep.Latency.UnitScale).seconds(f.largest))
	}
	o.Notes = append(o.Notes, fmt.Sprintf("the quantiles are the largest of %d series of a summary, since quantiles cannot be averaged; "+
		"they cover the time that the summary itself forgets after, not the window", s.series))
	if !s.surveyOnly {
		s.next = s.askOwn
	}
	return nil
}

// summary finds out how many series a summary has, and whether they answer.
func (c *Client) summary(ctx context.Context, dep config.Dependency, at time.Time) (int, *Error) {
	s := c.subject(&config.Dependency{Window: dep.Window, Latency: dep.Latency}, at)
	s.surveyOnly = true
	c.converse(ctx, 1, func(int) *subject { return s })
	return s.series, s.err
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
