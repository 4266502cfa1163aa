package rules

import (
	"strings"
	"time"
)

// Rule is one row of the table: a code that names the finding, its runbook page
// and, in CamelCase, its alert.
type Rule struct {
	Code     string
	Severity Severity

	// Threshold is what the rule compares with, in the unit that Title names.
	// 0: the rule compares nothing, or takes each dependency's own target.
	Threshold float64

	// For is how long the finding must stand before its alert fires.
	For time.Duration

	// WorsensAfter is how long a finding stands before it becomes a Warning; 0:
	// it never does.
	WorsensAfter time.Duration

	Title       string // one line: what the finding says
	description string // of the alert: a Prometheus template with the numbers

	// policyOnly rules need no latency data: they read the declaration, or what the
	// search for dependencies came to.
	policyOnly bool
	judge      judge      // of a dependency; nil for rules about chains, and for verdict-unknown, which memory finds
	judgeChain judgeChain // of a chain; nil for rules about dependencies
}

// Alert is the name of the rule's alert: timeout-below-p99 is TimeoutBelowP99.
func (r Rule) Alert() string {
	var name strings.Builder
	for word := range strings.SplitSeq(r.Code, "-") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}

// About is the label that names what the rule is about: dependency or chain.
func (r Rule) About() string {
	if r.judgeChain != nil {
		return "chain"
	}
	return "dependency"
}

// VerdictUnknown is the code of the rule about what could not be judged.
const VerdictUnknown = "verdict-unknown"

// dependencyLimitReached is the code of the one other rule about templates.
const dependencyLimitReached = "dependency-limit-reached"

// Codes lists the code of every rule, in the table's order.
func Codes() []string {
	var codes []string
	for _, rule := range Table() {
		codes = append(codes, rule.Code)
	}
	return codes
}
