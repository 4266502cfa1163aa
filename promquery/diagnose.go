package promquery

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/nearest"
)

// Purposes of queries that only a diagnosis sends.
const (
	purposeCount    = "count"
	purposeLastSeen = "last-seen"
	purposeValues   = "label-values"
)

// lastSeenStep is how finely the past is searched for the last sample; it is
// the default lookback of Prometheus, so that no sample falls between steps.
const lastSeenStep = 5 * time.Minute

// selector explains why a selector matches nothing in the window; "" when it
// does match.
func (d diagnosis) selector(ctx context.Context, vs *parser.VectorSelector) (string, *Error) {
	recent, err := d.count(ctx, vs, d.window)
	if err != nil || recent > 0 {
		return "", err
	}
	past, err := d.count(ctx, vs, d.back())
	if err != nil {
		return "", err
	}
	if past > 0 {
		return d.ended(ctx, vs, d.window)
	}
	named, _ := split(vs.LabelMatchers)
	exists, err := d.count(ctx, &parser.VectorSelector{Name: vs.Name, LabelMatchers: named}, d.back())
	switch {
	case err != nil:
		return "", err
	case exists == 0 && vs.Name != "":
		return d.noMetric(ctx, vs.Name, ""), nil
	case exists == 0:
		return fmt.Sprintf("no metric matches %s in the last %s", vs, model.Duration(d.back())), nil
	}
	return d.culprits(ctx, vs)
}

// ended says when the selected series, silent for some time, had their last
// sample.
func (d diagnosis) ended(ctx context.Context, vs *parser.VectorSelector, silence time.Duration) (string, *Error) {
	stamps := &parser.SubqueryExpr{Expr: call("timestamp", vs), Range: d.back(), Step: lastSeenStep}
	q := latency.Query{Purpose: purposeLastSeen, PromQL: aggregate(parser.MAX, call("max_over_time", stamps))}
	answer, err := d.client.sender.instant(ctx, q, d.at)
	if err != nil {
		return "", err
	}
	vector, err := elements(answer.value)
	if err != nil {
		return "", about(q, err)
	}
	when := "within the last " + model.Duration(d.back()).String()
	if len(vector) == 1 {
		last := model.TimeFromUnixNano(int64(vector[0].point().number * 1e9)).Time().UTC()
		when = fmt.Sprintf("at %s, %s ago", last.Format(time.RFC3339), age(d.at.Sub(last)))
	}
	return fmt.Sprintf("no samples of %s in the last %s; the last one was %s: is it still running and scraped?",
		vs, model.Duration(silence), when), nil
}

// noMetric says that a metric does not exist, and which existing name is near.
func (d diagnosis) noMetric(ctx context.Context, name, suffix string) string {
	message := fmt.Sprintf("no metric %s in the last %s", name, model.Duration(d.back()))
	everything := &parser.VectorSelector{LabelMatchers: []*labels.Matcher{
		labels.MustNewMatcher(labels.MatchRegexp, model.MetricNameLabel, ".+"+suffix),
	}}
	names, err := d.values(ctx, model.MetricNameLabel, everything)
	if err != nil {
		return message // the name is wrong either way, and the hint only a courtesy
	}
	for i := range names {
		names[i] = strings.TrimSuffix(names[i], suffix)
	}
	if near := nearest.Name(name, names); near != "" {
		message += fmt.Sprintf("; did you mean %s?", near)
	}
	return message
}

// culprits names the matchers without which the selector would match.
func (d diagnosis) culprits(ctx context.Context, vs *parser.VectorSelector) (string, *Error) {
	named, others := split(vs.LabelMatchers)
	var said []string
	for i, m := range others {
		rest := &parser.VectorSelector{
			Name:          vs.Name,
			LabelMatchers: slices.Concat(named, others[:i], others[i+1:]),
		}
		n, err := d.count(ctx, rest, d.back())
		if err != nil {
			return "", err
		}
		if n > 0 {
			said = append(said, fmt.Sprintf("%s (without it %d match%s)", m, n, d.existing(ctx, m.Name, rest)))
		}
	}
	switch len(said) {
	case 0:
		return d.strangers(ctx, vs)
	case 1:
		return "no series match because of " + said[0], nil
	}
	return "no series match all of these at once: " + strings.Join(said, ", "), nil
}

// strangers names the matchers that nothing fits even alone, for selectors in
// which more than one is wrong.
func (d diagnosis) strangers(ctx context.Context, vs *parser.VectorSelector) (string, *Error) {
	named, others := split(vs.LabelMatchers)
	var said []string
	for _, m := range others {
		alone := &parser.VectorSelector{Name: vs.Name, LabelMatchers: append(slices.Clone(named), m)}
		n, err := d.count(ctx, alone, d.back())
		if err != nil {
			return "", err
		}
		if n == 0 {
			said = append(said, m.String()+d.existing(ctx, m.Name, &parser.VectorSelector{Name: vs.Name, LabelMatchers: named}))
		}
	}
	if len(said) == 0 {
		return fmt.Sprintf("no series match %s, although every matcher fits some", vs), nil
	}
	return "no series match " + strings.Join(said, " and none "), nil
}

// existing lists some values that a label does have, as part of a sentence.
func (d diagnosis) existing(ctx context.Context, label string, vs *parser.VectorSelector) string {
	values, err := d.values(ctx, label, vs)
	if err != nil || len(values) == 0 {
		return ""
	}
	const shown = 5
	quoted := make([]string, 0, shown+1)
	for _, v := range values {
		if len(quoted) == shown {
			quoted = append(quoted, "…")
			break
		}
		quoted = append(quoted, fmt.Sprintf("%q", v))
	}
	return "; " + label + " is " + strings.Join(quoted, ", ")
}

// count returns how many series had a sample in the last stretch of time.
func (d diagnosis) count(ctx context.Context, vs *parser.VectorSelector, back time.Duration) (int, *Error) {
	q := latency.Query{Purpose: purposeCount, PromQL: aggregate(parser.COUNT, over("last_over_time", vs, back))}
	answer, err := d.client.sender.instant(ctx, q, d.at)
	if err != nil {
		return 0, err
	}
	vector, err := elements(answer.value)
	if err != nil || len(vector) == 0 {
		return 0, about(q, err)
	}
	return int(vector[0].point().number), nil
}

// values returns the values of a label on the selected series.
func (d diagnosis) values(ctx context.Context, label string, vs *parser.VectorSelector) ([]string, *Error) {
	q := latency.Query{Purpose: purposeValues, PromQL: vs}
	var values model.LabelValues
	err := d.client.sender.exchange(ctx, q, func(ctx context.Context) error {
		found, _, _, err := d.client.sender.api.LabelValues(ctx, label, []string{q.Text()}, d.at.Add(-d.back()), d.at, v1.WithLimit(10000))
		values = found
		return err
	})
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	return names, err
}

// labelNames returns the names of the labels of the selected series.
func (d diagnosis) labelNames(ctx context.Context, vs *parser.VectorSelector) []string {
	q := latency.Query{Purpose: purposeValues, PromQL: vs}
	var names model.LabelNames
	err := d.client.sender.exchange(ctx, q, func(ctx context.Context) error {
		found, _, _, err := d.client.sender.api.LabelNames(ctx, []string{q.Text()}, d.at.Add(-d.back()), d.at, v1.WithLimit(100))
		names = found
		return err
	})
	if err != nil {
		return nil
	}
	var others []string
	for _, name := range names {
		if name != model.MetricNameLabel && name != model.BucketLabel {
			others = append(others, string(name))
		}
	}
	return others
}

// split parts the matchers of the metric's name from the others.
func split(matchers []*labels.Matcher) (named, others []*labels.Matcher) {
	for _, m := range matchers {
		if m.Name == model.MetricNameLabel {
			named = append(named, m)
		} else {
			others = append(others, m)
		}
	}
	return named, others
}
