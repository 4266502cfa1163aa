package promquery

import (
	"context"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Discovery is what was found for one template.
type Discovery struct {
	Series []map[string]string // values of the template's labels, a combination each
	Query  latency.Query
	Notes  []string
	Err    error // nil or an *Error
}

// Discover looks for the combinations of values that the labels of each
// template have on series with a sample in its window, one query for each. No
// series is an *Error of the kind KindNoData, so that a mistyped selector does
// not look like a mesh without calls.
func (c *Client) Discover(ctx context.Context, templates []config.Template, at time.Time) []Discovery {
	at = at.Truncate(time.Millisecond)
	found := make([]Discovery, len(templates))
	c.each(len(templates), func(i int) { found[i] = c.discover(ctx, templates[i], at) })
	return found
}

func (c *Client) discover(ctx context.Context, t config.Template, at time.Time) Discovery {
	d := Discovery{Query: discoveryQuery(t, true)}
	answer, err := c.sender.instant(ctx, d.Query, at)
	if err != nil && err.Kind == KindBadQuery {
		// Too many samples: what is alive now takes one for each series.
		d.Query = discoveryQuery(t, false)
		d.Notes = append(d.Notes, "the whole window holds too many samples to look for dependencies in, so only series alive now count: "+err.Message)
		answer, err = c.sender.instant(ctx, d.Query, at)
	}
	if err != nil {
		d.Err = about(d.Query, err)
		return d
	}
	d.Notes = append(d.Notes, answer.notes...)
	vector, err := elements(answer.value)
	if err != nil {
		d.Err = about(d.Query, err)
		return d
	}
	for _, sample := range vector {
		values := make(map[string]string, len(t.ForEach))
		for _, label := range t.ForEach {
			values[label] = sample.value(model.LabelName(label))
		}
		d.Series = append(d.Series, values)
	}
	if len(d.Series) == 0 {
		d.Err = about(d.Query, &Error{Kind: KindNoData, Message: "no series of " + t.Latency.Histogram + " was found to make dependencies of"})
	}
	return d
}

const purposeDiscovery = "for-each"

// discoveryQuery groups the series that count, of either form, by the labels of
// a template.
func discoveryQuery(t config.Template, wholeWindow bool) latency.Query {
	l := t.Discovery()
	l.Kind = t.Latency.Kind
	var forms []parser.Expr
	for _, name := range discoveryNames(l) {
		var expr parser.Expr = series(name, l.Matchers...)
		if wholeWindow {
			expr = over("last_over_time", series(name, l.Matchers...), t.Window)
		}
		forms = append(forms, aggregate(parser.GROUP, expr, t.ForEach...))
	}
	return latency.Query{Purpose: purposeDiscovery, PromQL: chain(parser.LOR, forms[0], forms[1:]...)}
}

// discoveryNames are the metrics with one series for each histogram.
func discoveryNames(l config.Latency) []string {
	switch l.Kind {
	case string(classic), summary:
		return []string{l.Histogram + "_count"}
	case string(native):
		return []string{l.Histogram}
	}
	return []string{l.Histogram + "_count", l.Histogram}
}
