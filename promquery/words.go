package promquery

import (
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

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
