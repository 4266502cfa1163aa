package promquery

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// shortened puts a short value in the place of each long one, and returns what
// puts the long ones back into the words of an expression: it has many selectors,
// and printing each copies its matchers several times over.
func shortened(matchers []*labels.Matcher) ([]*labels.Matcher, *strings.Replacer) {
	const long = 256
	short := make([]*labels.Matcher, len(matchers))
	var back []string
	for i, m := range matchers {
		short[i] = m
		if len(m.Value) >= long {
			stand := fmt.Sprintf("\xff%d\xff", i) // in no value, which is UTF-8
			short[i] = &labels.Matcher{Type: m.Type, Name: m.Name, Value: stand}
			back = append(back, strconv.Quote(stand), strconv.Quote(m.Value))
		}
	}
	return short, strings.NewReplacer(back...)
}

// inWords prints an expression. One of operands joined by or is printed operand
// by operand: the parser's own way copies all before it again for each, and a
// query about thousands is long.
func inWords(expr parser.Expr) string {
	var operands []string
	for {
		joined, binary := expr.(*parser.BinaryExpr)
		if !binary || joined.Op != parser.LOR || joined.VectorMatching.On || len(joined.VectorMatching.MatchingLabels) > 0 {
			break
		}
		operands = append(operands, joined.RHS.String())
		expr = joined.LHS
	}
	var text strings.Builder
	text.WriteString(expr.String())
	for i := len(operands) - 1; i >= 0; i-- {
		text.WriteString(" or ")
		text.WriteString(operands[i])
	}
	return text.String()
}
