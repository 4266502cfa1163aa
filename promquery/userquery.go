package promquery

import (
	"fmt"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// asked is one expression from the configuration.
type asked struct {
	key     string // of the configuration, below the dependency
	query   latency.Query
	expr    parser.Expr
	isRatio bool // else a rate per second
}

// configured returns the dependency's own expressions with $window filled in,
// in a fixed order. An expression that does not parse is an *Error: it would
// have been refused when the configuration was read.
func configured(dep config.Dependency) ([]asked, *Error) {
	o := dep.Observed
	sources := []struct{ key, purpose, text string }{
		{"error_ratio", purposeErrorRatio, dep.ErrorRatio.Query},
		{"observed.attempts", purposeObserved + "attempts", o.Attempts},
		{"observed.timeouts", purposeObserved + "timeouts", o.Timeouts},
		{"observed.retries", purposeObserved + "retries", o.Retries},
		{"observed.calls", purposeObserved + "calls", o.Calls},
		{"observed.fallbacks", purposeObserved + "fallbacks", o.Fallbacks},
	}
	var all []asked
	for _, s := range sources {
		if s.text == "" {
			continue
		}
		text := config.ExpandWindow(s.text, dep.Window)
		expr, err := parser.NewParser(parser.Options{EnableExperimentalFunctions: true}).ParseExpr(text)
		if err != nil {
			return nil, &Error{
				Kind:    KindBadQuery,
				Query:   latency.Query{Purpose: s.purpose, PromQL: text},
				Message: fmt.Sprintf("%s is not valid PromQL: %v", s.key, err),
				Err:     err,
				key:     s.key,
			}
		}
		all = append(all, asked{
			key:     s.key,
			query:   latency.Query{Purpose: s.purpose, PromQL: expr.String()},
			expr:    expr,
			isRatio: s.purpose == purposeErrorRatio,
		})
	}
	return all, nil
}
