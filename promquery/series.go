package promquery

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// SeriesQuestion asks how metrics went over time, each of them the largest of
// all series that have the label with the given value.
type SeriesQuestion struct {
	Names        []string // of metrics
	Label, Value string
	Start, End   time.Time
	Step         time.Duration
}

// Sample is a value at a moment.
type Sample struct {
	At    time.Time
	Value float64
}

// SeriesAnswer is what the server had, by metric. A metric without samples is
// not in it.
type SeriesAnswer struct {
	Query   latency.Query
	Samples map[string][]Sample
}

// Series asks for metrics over time in one range query. The error is nil or an
// *Error; no samples at all are an answer.
func (c *Client) Series(ctx context.Context, q SeriesQuestion) (SeriesAnswer, error) {
	answer := SeriesAnswer{Query: seriesQuery(q), Samples: map[string][]Sample{}}
	r, err := c.sender.ask(ctx, answer.Query, q.End)
	if err != nil {
		return answer, err
	}
	if r.value.kind != model.ValMatrix {
		return answer, &Error{Kind: KindUnusable, Query: answer.Query, Message: fmt.Sprintf("%s query: want a matrix, got %s", answer.Query.Purpose, r.value.typed())}
	}
	for _, series := range r.value.rows {
		name := series.value(model.MetricNameLabel)
		for _, p := range series.points {
			if p.histogram == nil {
				answer.Samples[name] = append(answer.Samples[name], Sample{At: p.at.Time().UTC(), Value: p.number})
			}
		}
	}
	return answer, nil
}

func seriesQuery(q SeriesQuestion) latency.Query {
	names := make([]string, len(q.Names))
	for i, name := range q.Names {
		names[i] = regexp.QuoteMeta(name)
	}
	selected := &parser.VectorSelector{LabelMatchers: []*labels.Matcher{
		labels.MustNewMatcher(labels.MatchRegexp, model.MetricNameLabel, strings.Join(names, "|")),
		equal(q.Label, q.Value),
	}}
	return latency.Query{
		Purpose: purposeHistory, PromQL: aggregate(parser.MAX, selected, model.MetricNameLabel),
		Start: q.Start, End: q.End, Step: q.Step,
	}
}
