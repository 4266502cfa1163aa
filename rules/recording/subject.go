package recording

import (
	"fmt"
	"maps"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

// subject is what one group of rules is about, with what the policy comes to:
// one dependency, or all that an entry with for_each finds under one policy.
type subject struct {
	dep    config.Dependency
	policy *audit.Assessment // what is known without data
	labels map[string]string
	own    *labels.Matcher // which recorded series are the subject's
	each   *each           // nil for one dependency
}

func subjectOf(dep config.Dependency) subject {
	s := subject{dep: dep, policy: policyOf(dep), labels: map[string]string{}, own: equal("dependency", dep.Name)}
	for name, value := range names(dep) {
		if value != "" {
			s.labels[name] = value
		}
	}
	return s
}

func policyOf(dep config.Dependency) *audit.Assessment {
	return audit.Assess(audit.Input{Dependency: &dep, Failure: &audit.Failure{Status: latency.StatusNoData}})
}

// names are the labels that every recorded series has.
func names(dep config.Dependency) map[string]string {
	return map[string]string{"dependency": dep.Name, "caller": dep.Caller, "callee": dep.Callee, "owner": dep.Owner}
}

// read is PromQL for a series recorded for the subject before.
func (s subject) read(name string) string { return name + "{" + s.own.String() + "}" }

// limited reports whether anything cuts latency off.
func (s subject) limited() bool { return s.policy.Limit > 0 }

func (s subject) callScope() bool { return s.dep.Latency.Scope == "call" }

// record is a rule for one of the subject's series. extra are more labels, as
// name and value.
func (s subject) record(name, expr string, extra ...string) rulefile.Rule {
	all := maps.Clone(s.labels)
	for i := 0; i+1 < len(extra); i += 2 {
		all[extra[i]] = extra[i+1]
	}
	return rulefile.Rule{Record: name, Expr: expr, Labels: all}
}

// measured is a rule for what is read of the latency itself.
func (s subject) measured(name, expr string) rulefile.Rule {
	if s.each != nil {
		expr = s.each.named(s.each.without(expr))
	}
	return s.record(name, expr)
}

// constant is PromQL for a number: for each dependency that has been measured,
// where the rules do not know which there are.
func (s subject) constant(x float64) string {
	if s.each == nil {
		return fmt.Sprintf("vector(%s)", number(x))
	}
	return fmt.Sprintf("0 * %s + %s", s.read(Samples), number(x))
}

// matching goes after a set operator: series of one dependency have no labels
// that the expressions beside them lack, or differ in reason alone.
func (s subject) matching() string {
	if s.each == nil {
		return "on ()"
	}
	return "ignoring (reason)"
}

func equal(name, value string) *labels.Matcher {
	return labels.MustNewMatcher(labels.MatchEqual, name, value)
}
