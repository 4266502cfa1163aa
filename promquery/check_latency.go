package promquery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/nearest"
)

// checkHistogram looks for the histogram and its replicas.
func (d diagnosis) checkHistogram(ctx context.Context, dep config.Dependency, r *CheckResult) {
	s, err := d.client.survey(ctx, dep, d.at)
	r.Form, r.Series = string(s.form), s.series
	var found []*CheckProblem
	switch {
	case err == nil:
		totals := s.form.totals(dep.Latency)
		found = append(found, d.silent(ctx, totals), d.replicas(ctx, dep.Latency.ReplicaLabel, totals))
	case err.Kind == KindNoData && s.form == "":
		p := d.histogram(ctx, dep.Latency)
		found = append(found, &p)
	default:
		p := problem(keyHistogram, err)
		found = append(found, &p)
	}
	for _, p := range found {
		if p != nil {
			r.Problems = append(r.Problems, *p)
		}
	}
}

// replicas reports a replica label that no series has; nil where some have it.
func (d diagnosis) replicas(ctx context.Context, label string, totals *parser.VectorSelector) *CheckProblem {
	if label == "" {
		return nil
	}
	labeled := &parser.VectorSelector{
		Name:          totals.Name,
		LabelMatchers: append(slices.Clone(totals.LabelMatchers), labels.MustNewMatcher(labels.MatchNotEqual, label, "")),
	}
	switch n, err := d.count(ctx, labeled, d.window); {
	case err != nil:
		p := problem(keyReplicaLabel, err)
		return &p
	case n > 0:
		return nil
	}
	message := fmt.Sprintf("no series of %s has the label %s", totals, label)
	others := d.labelNames(ctx, totals)
	if near := nearest.Name(label, others); near != "" {
		message += fmt.Sprintf("; did you mean %s?", near)
	} else if len(others) > 0 {
		message += "; they have " + strings.Join(others, ", ")
	}
	return &CheckProblem{Key: keyReplicaLabel, Message: message}
}

// checkSummary looks for the summary's quantiles.
func (d diagnosis) checkSummary(ctx context.Context, dep config.Dependency, r *CheckResult) {
	n, err := d.client.summary(ctx, dep, d.at)
	if err == nil {
		r.Form, r.Series = summary, n
		return
	}
	if err.Kind != KindNoData || n > 0 {
		r.Problems = append(r.Problems, problem(keyHistogram, err))
		return
	}
	r.Problems = append(r.Problems, d.noSummary(ctx, dep.Latency))
}

// noSummary explains why a summary has no current quantiles.
func (d diagnosis) noSummary(ctx context.Context, l config.Latency) CheckProblem {
	unselected := l
	unselected.Matchers = nil
	found, err := d.client.names(ctx, namesQuery(unselected, d.back()), d.at)
	if err != nil {
		return problem(keyHistogram, err)
	}
	if found[l.Histogram] == 0 {
		return CheckProblem{Key: keyHistogram, Message: d.noMetric(ctx, l.Histogram, "")}
	}
	vs := quantileSeries(l)
	message, err := d.selector(ctx, vs)
	if err == nil && message == "" { // some are in the window, and none is now
		message, err = d.ended(ctx, vs, lastSeenStep)
	}
	if err != nil {
		return problem(keyHistogram, err)
	}
	return CheckProblem{Key: keyHistogram, Message: message}
}

// histogram explains why a histogram has no series in the window.
func (d diagnosis) histogram(ctx context.Context, l config.Latency) CheckProblem {
	unselected := l
	unselected.Matchers = nil
	found, err := d.client.names(ctx, namesQuery(unselected, d.back()), d.at)
	if err != nil {
		return problem(keyHistogram, err)
	}
	stored := classic
	switch {
	case found[l.Histogram+"_bucket"] > 0 && l.Kind != string(native):
	case found[l.Histogram] > 0 && l.Kind != string(classic):
		stored = native
	case len(found) > 0:
		return problem(keyHistogram, found.noHistogram(l))
	default:
		return CheckProblem{Key: keyHistogram, Message: d.noMetric(ctx, l.Histogram, "_bucket")}
	}
	message, err := d.selector(ctx, stored.totals(l))
	if err != nil {
		return problem(keySelector, err)
	}
	return CheckProblem{Key: keySelector, Message: message}
}

// silent reports series that exist and have stopped; nil where they go on.
func (d diagnosis) silent(ctx context.Context, vs *parser.VectorSelector) *CheckProblem {
	back := max(lastSeenStep, d.window/4)
	n, err := d.count(ctx, vs, back)
	if err == nil && n > 0 {
		return nil
	}
	var message string
	if err == nil {
		message, err = d.ended(ctx, vs, back)
	}
	if err != nil {
		p := problem(keyHistogram, err)
		return &p
	}
	return &CheckProblem{Key: keyHistogram, Message: message}
}
