package config

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// Template is one entry under dependencies that stands for many: one for each
// combination of values that the labels ForEach have on the histogram's series.
type Template struct {
	Dependency // as the entry says it, with {{label}} in its names and $label in its PromQL

	ForEach         []string // labels, in the order of the file
	MaxDependencies int
	Overrides       []Override
}

// Override is what an entry changes where its matchers match. The first that
// does counts.
type Override struct {
	Match      []*labels.Matcher // regular expressions over values, anchored as in PromQL
	Dependency Dependency        // the whole of it
}

// placeholder is {{label}} in a name.
func placeholder() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*([^{}\s]+)\s*\}\}`) }

// Expand makes the dependency of one combination of values, by label. Labels
// that the series lack are empty.
func (t Template) Expand(found map[string]string) Dependency {
	series := make(map[string]string, len(found))
	for label, value := range found {
		series[label] = strings.ToValidUTF8(value, "?") // PromQL takes nothing else
	}
	d := t.Dependency
	for _, o := range t.Overrides {
		if matches(o.Match, series) {
			d = o.Dependency
			break
		}
	}
	d.Entry, d.Series = t.Name, series
	for _, name := range []*string{&d.Name, &d.Caller, &d.Callee, &d.Owner} {
		*name = fill(*name, series)
	}
	d.Latency.Matchers = t.narrowed(d.Latency.Matchers, series)
	if d.Connect != nil {
		connect := *d.Connect
		connect.Matchers = t.narrowed(connect.Matchers, series)
		d.Connect = &connect
	}
	d.ErrorRatio.Query = substitute(d.ErrorRatio.Query, d.Window, series)
	for _, query := range []*string{&d.Observed.Attempts, &d.Observed.Timeouts, &d.Observed.Retries, &d.Observed.Calls, &d.Observed.Fallbacks} {
		*query = substitute(*query, d.Window, series)
	}
	return d
}

// Discovery is what chooses the series whose labels are looked for: matchers
// that depend on those labels cannot.
func (t Template) Discovery() Latency {
	l := t.Latency
	l.Matchers = slices.DeleteFunc(slices.Clone(l.Matchers), func(m *labels.Matcher) bool { return variable().MatchString(m.Value) })
	return l
}

// narrowed fills variables into matchers and adds one for each label.
func (t Template) narrowed(matchers []*labels.Matcher, series map[string]string) []*labels.Matcher {
	narrow := make([]*labels.Matcher, 0, len(matchers)+len(t.ForEach))
	for _, m := range matchers {
		narrow = append(narrow, substituted(m, series))
	}
	for _, label := range t.ForEach {
		narrow = append(narrow, labels.MustNewMatcher(labels.MatchEqual, label, series[label]))
	}
	return narrow
}

func matches(match []*labels.Matcher, series map[string]string) bool {
	return !slices.ContainsFunc(match, func(m *labels.Matcher) bool { return !m.Matches(series[m.Name]) })
}

// fill puts values into the {{label}} of a name.
func fill(name string, series map[string]string) string {
	return placeholder().ReplaceAllStringFunc(name, func(found string) string {
		return series[placeholder().FindStringSubmatch(found)[1]]
	})
}

// variable is $label inside a string of PromQL.
func variable() *regexp.Regexp { return regexp.MustCompile(`\$([a-zA-Z_][a-zA-Z0-9_]*)`) }

// substitute fills $window, and $label in strings, into PromQL. It goes by the
// syntax tree, so no value can end the string that it stands in. What does not
// parse was refused when it was read.
func substitute(query string, window time.Duration, series map[string]string) string {
	if query == "" {
		return ""
	}
	expr, err := newParser().ParseExpr(ExpandWindow(query, window))
	if err != nil {
		return query
	}
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			for i, m := range n.LabelMatchers {
				n.LabelMatchers[i] = substituted(m, series)
			}
		case *parser.StringLiteral:
			n.Val = valued(n.Val, series, strings.Clone)
		}
		return nil
	})
	return expr.String()
}

// substituted is a matcher with values for its variables, taken literally where
// it is a regular expression.
func substituted(m *labels.Matcher, series map[string]string) *labels.Matcher {
	if !variable().MatchString(m.Value) {
		return m
	}
	quote := strings.Clone
	if m.Type == labels.MatchRegexp || m.Type == labels.MatchNotRegexp {
		quote = regexp.QuoteMeta
	}
	narrow, err := labels.NewMatcher(m.Type, m.Name, valued(m.Value, series, quote))
	if err != nil { // a value too long for a regular expression
		return labels.MustNewMatcher(labels.MatchRegexp, m.Name, matchesNothing)
	}
	return narrow
}

const matchesNothing = `[^\s\S]`

func valued(text string, series map[string]string, quote func(string) string) string {
	return variable().ReplaceAllStringFunc(text, func(found string) string {
		value, known := series[found[1:]]
		if !known {
			return found
		}
		return quote(value)
	})
}

// names matches what Expand may call its dependencies.
func (t Template) names() *regexp.Regexp {
	var pattern strings.Builder
	rest := 0
	for _, at := range placeholder().FindAllStringIndex(t.Name, -1) {
		pattern.WriteString(regexp.QuoteMeta(t.Name[rest:at[0]]) + "(?s:.*)")
		rest = at[1]
	}
	return regexp.MustCompile("^" + pattern.String() + regexp.QuoteMeta(t.Name[rest:]) + `(\{.*\})?$`)
}
