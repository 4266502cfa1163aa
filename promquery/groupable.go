package promquery

import (
	"slices"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// groupingOf says with which others an expression of the configuration may be
// asked: those that differ from it in the values of labels alone which every
// selector in it matches with one same value. The zero grouping: with none.
func groupingOf(promQL string) grouping {
	expr, err := parse(promQL)
	if err != nil || !keepsLabels(expr) {
		return grouping{}
	}
	common := commonSelection(expr)
	if len(common.names) == 0 {
		return grouping{}
	}
	blank := make([]*labels.Matcher, len(common.names))
	for i, name := range common.names {
		blank[i] = equal(name, "")
	}
	own := configuredExpr{promQL, common}
	return grouping{
		alike:     alike{configured: own.on(blank, nil).String()},
		selection: common,
		build:     own,
	}
}

// configuredExpr is an expression of the configuration, and what others like it
// differ in.
type configuredExpr struct {
	promQL string
	common selection
}

func (c configuredExpr) on(matchers []*labels.Matcher, _ []string) parser.Expr {
	expr, err := parse(c.promQL)
	if err != nil {
		panic(err) // it parsed before
	}
	replace(expr, c.common, matchers)
	return expr
}

func parse(promQL string) (parser.Expr, error) {
	return parser.NewParser(parser.Options{EnableExperimentalFunctions: true}).ParseExpr(promQL)
}

// commonSelection is the equality matchers that all selectors of an expression
// share.
func commonSelection(expr parser.Expr) selection {
	var common *selection
	eachSelector(expr, func(vs *parser.VectorSelector) {
		one := selectionOf(vs.LabelMatchers)
		if common == nil {
			common = &one
			return
		}
		var both selection
		for i, name := range common.names {
			if j := slices.Index(one.names, name); j >= 0 && one.values[j] == common.values[i] {
				both.names = append(both.names, name)
				both.values = append(both.values, common.values[i])
			}
		}
		common = &both
	})
	if common == nil {
		return selection{}
	}
	common.rest = nil // they stay where they are
	return *common
}

func eachSelector(expr parser.Expr, visit func(*parser.VectorSelector)) {
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if vs, ok := node.(*parser.VectorSelector); ok {
			visit(vs)
		}
		return nil
	})
}

// replace puts matchers in the place of those of a selection.
func replace(expr parser.Expr, s selection, matchers []*labels.Matcher) {
	eachSelector(expr, func(vs *parser.VectorSelector) {
		var kept []*labels.Matcher
		for _, m := range vs.LabelMatchers {
			i := slices.Index(s.names, m.Name)
			if i < 0 || m.Type != labels.MatchEqual || m.Value != s.values[i] {
				kept = append(kept, m)
			}
		}
		vs.LabelMatchers = slices.Concat(kept, matchers)
	})
}

// keepsLabels reports whether the elements of an expression keep the labels of
// the series they come from, where its aggregations are told to, and whether no
// element depends on series with other values of them.
func keepsLabels(expr parser.Expr) bool {
	keeps := true
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.AggregateExpr:
			keeps = keeps && !n.Without && addsUp(n.Op)
		case *parser.Call:
			keeps = keeps && perSeries(n.Func.Name)
		case *parser.BinaryExpr:
			m := n.VectorMatching
			plain := m == nil || !m.On && len(m.MatchingLabels) == 0 && len(m.Include) == 0
			keeps = keeps && plain
		case *parser.SubqueryExpr, *parser.StringLiteral:
			keeps = false
		}
		return nil
	})
	return keeps && expr.Type() == parser.ValueTypeVector
}

func addsUp(op parser.ItemType) bool {
	return slices.Contains([]parser.ItemType{parser.SUM, parser.AVG, parser.MIN, parser.MAX, parser.COUNT}, op)
}

// perSeries names functions that answer for each series by itself.
func perSeries(function string) bool {
	return slices.Contains([]string{
		"rate", "irate", "increase", "delta", "idelta", "clamp_min", "clamp_max", "clamp",
		"sum_over_time", "avg_over_time", "max_over_time", "min_over_time", "last_over_time", "count_over_time",
		"histogram_quantile", "histogram_count", "histogram_sum", "histogram_avg", "histogram_fraction", "abs",
	}, function)
}
