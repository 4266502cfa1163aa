package config

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// maxQuery bounds the length of PromQL in a file.
const maxQuery = 10_000

// ExpandWindow puts a window, as a Prometheus duration, in the place of every
// $window in a PromQL expression of a configuration.
func ExpandWindow(query string, window time.Duration) string {
	return regexp.MustCompile(`\$window\b`).ReplaceAllLiteralString(query, model.Duration(window).String())
}

// newParser admits functions that servers offer behind a flag: the server will
// say whether it does.
func newParser() parser.Parser {
	return parser.NewParser(parser.Options{EnableExperimentalFunctions: true})
}

// promql reads an expression whose value is a scalar or an instant vector, and
// that is not a bare counter.
func (v value) promql(want promqlFor) (string, bool) {
	text, ok := v.scalar("a PromQL expression")
	if !ok {
		return "", false
	}
	expr := v.parsePromQL(text)
	if expr == nil {
		return "", false
	}
	if message := checkRates(expr, want); message != "" {
		v.refuse("%s", message)
		return "", false
	}
	return text, true
}

// parsePromQL gives nil after a refusal.
func (v value) parsePromQL(text string) parser.Expr {
	if strings.TrimSpace(text) == "" {
		v.refuse("must be a PromQL expression%s", v.got())
		return nil
	}
	if len(text) > maxQuery {
		v.refuse("must be at most %d bytes of PromQL, got %d", maxQuery, len(text))
		return nil
	}
	expanded := ExpandWindow(text, time.Hour)
	expr, err := newParser().ParseExpr(expanded)
	switch {
	case err != nil && strings.Contains(expanded, "$"):
		v.refuse("is not valid PromQL: %s (%s)", parseError(err), v.knownVariables())
		return nil
	case err != nil:
		v.refuse("is not valid PromQL: %s", parseError(err))
		return nil
	}
	if len(v.labels) > 0 {
		for _, found := range variable().FindAllStringSubmatch(expanded, -1) {
			if !slices.Contains(v.labels, found[1]) {
				v.refuse("holds $%s, which is no label of for_each; %s", found[1], suggestLabel(found[1], v.labels))
				return nil
			}
		}
	}
	if t := expr.Type(); t != parser.ValueTypeScalar && t != parser.ValueTypeVector {
		v.refuse("must be PromQL for a scalar or an instant vector, got a %s", parser.DocumentedType(t))
		return nil
	}
	return expr
}

// knownVariables says what may follow a $.
func (v value) knownVariables() string {
	if len(v.labels) == 0 {
		return "the only variable is $window"
	}
	return "the variables are $window and, inside quotes, $" + strings.Join(v.labels, ", $")
}

// parseError gives line:column and cause of the first error, on one line.
func parseError(err error) string {
	text := err.Error()
	if all, ok := errors.AsType[parser.ParseErrors](err); ok && len(all) > 0 {
		e := all[0]
		text = e.PositionRange.StartPosInput(e.Query, e.LineOffset) + ": " + e.Err.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}

// selector reads label matchers in braces.
func (v value) selector() ([]*labels.Matcher, bool) {
	const want = `label matchers in braces, such as '{job="checkout"}'`
	text, ok := v.scalar(want + " (in quotes, or YAML takes the braces for its own)")
	if !ok {
		return nil, false
	}
	if len(text) > maxQuery {
		v.refuse("must be at most %d bytes of PromQL, got %d", maxQuery, len(text))
		return nil, false
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		v.refuse("must be %s%s", want, v.got())
		return nil, false
	}
	matchers, err := newParser().ParseMetricSelector(text)
	if err != nil {
		v.refuse("must be only %s: %s", want, parseError(err))
		return nil, false
	}
	for _, m := range matchers {
		switch m.Name {
		case model.MetricNameLabel:
			v.refuse("must not name a metric, got %s; latency.histogram names it", m)
			return nil, false
		case labels.BucketLabel:
			v.refuse("must not choose buckets, got %s; all of them are needed", m)
			return nil, false
		}
	}
	return matchers, true
}
