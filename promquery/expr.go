package promquery

import (
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// series builds the selector of one metric. The name goes in front of the
// braces where PromQL can read it there, and as {__name__="…"} where it cannot:
// names with dots, and names that are words of PromQL itself.
func series(name string, matchers ...*labels.Matcher) *parser.VectorSelector {
	all := make([]*labels.Matcher, 0, len(matchers)+1)
	all = append(all, equal(model.MetricNameLabel, name))
	all = append(all, matchers...)
	vs := &parser.VectorSelector{LabelMatchers: all}
	if readsBare(name) {
		vs.Name = name
	}
	return vs
}

// readsBare reports whether PromQL reads the name as a metric where it stands
// without braces and quotes.
func readsBare(name string) bool {
	if !model.LegacyValidation.IsValidMetricName(name) {
		return false
	}
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(name + "{}")
	if err != nil {
		return false
	}
	vs, ok := expr.(*parser.VectorSelector)
	return ok && vs.Name == name
}

func equal(name, value string) *labels.Matcher {
	return labels.MustNewMatcher(labels.MatchEqual, name, value)
}

// before is the same selector, looked at d earlier.
func before(vs *parser.VectorSelector, d time.Duration) *parser.VectorSelector {
	earlier := *vs
	earlier.OriginalOffset = d
	return &earlier
}

func call(function string, args ...parser.Expr) *parser.Call {
	return &parser.Call{Func: parser.MustGetFunction(function), Args: args}
}

// over applies a function to the samples of the last d.
func over(function string, vs *parser.VectorSelector, d time.Duration) *parser.Call {
	return call(function, &parser.MatrixSelector{VectorSelector: vs, Range: d})
}

func aggregate(op parser.ItemType, expr parser.Expr, by ...string) *parser.AggregateExpr {
	return &parser.AggregateExpr{Op: op, Expr: expr, Grouping: by}
}

// lowQuantile is the q-quantile over series.
func lowQuantile(q float64, expr parser.Expr) *parser.AggregateExpr {
	return &parser.AggregateExpr{Op: parser.QUANTILE, Param: number(q), Expr: expr}
}

func number(v float64) *parser.NumberLiteral { return &parser.NumberLiteral{Val: v} }

// chain joins operands from left to right by one set operator. Operands that
// are themselves joined by an operator must not be given.
func chain(op parser.ItemType, first parser.Expr, more ...parser.Expr) parser.Expr {
	joined := first
	for _, next := range more {
		joined = &parser.BinaryExpr{
			Op: op, LHS: joined, RHS: next,
			VectorMatching: &parser.VectorMatching{Card: parser.CardManyToMany},
		}
	}
	return joined
}

// tag writes one label on every element, so that the answers to several
// questions travel in one vector.
func tag(expr parser.Expr, label, value string) *parser.Call {
	return call("label_replace", expr,
		&parser.StringLiteral{Val: label}, &parser.StringLiteral{Val: value},
		&parser.StringLiteral{}, &parser.StringLiteral{})
}
