package promquery

import (
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// widened returns one matcher per label that fits all of the selections, which
// share their names: the union of the values. With several labels it may fit
// combinations that nobody asked about; their answers are dropped.
func widened(selections []selection) []*labels.Matcher {
	names := selections[0].names
	matchers := make([]*labels.Matcher, len(names))
	for i, name := range names {
		values := make([]string, len(selections))
		for j, s := range selections {
			values[j] = s.values[i]
		}
		matchers[i] = oneOf(name, values)
	}
	return matchers
}

// oneOf fits any of the values. A regular expression is only printed, so it is
// not compiled here. Prometheus reads an alternation of literals as a set.
func oneOf(name string, values []string) *labels.Matcher {
	values = slices.Clone(values)
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) == 1 {
		return equal(name, values[0])
	}
	for i, v := range values {
		values[i] = regexp.QuoteMeta(v)
	}
	return &labels.Matcher{Type: labels.MatchRegexp, Name: name, Value: strings.Join(values, "|")}
}

// matcherLength is what the values of a selection add to each selector, about.
func (s selection) matcherLength() int {
	n := 0
	for _, v := range s.values {
		n += len(v) + 1
	}
	return n
}

// spread makes every aggregation of an expression keep the given labels apart.
func spread(expr parser.Expr, by []string) {
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if a, ok := node.(*parser.AggregateExpr); ok {
			grouping := slices.Clone(a.Grouping)
			for _, name := range by {
				if !slices.Contains(grouping, name) {
					grouping = append(grouping, name)
				}
			}
			a.Grouping = grouping
		}
		return nil
	})
}
