package rules

import (
	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

// perDay records what the predictions come to in a day, so that a month of it
// can be asked for cheaply and outlives the auditor.
func perDay() []rulefile.Rule {
	var all []rulefile.Rule
	for _, record := range metric.Recorded() {
		all = append(all, rulefile.Rule{Record: record.Name, Expr: record.Expr + "\n"})
	}
	return all
}
