package recording

import (
	"fmt"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

// subject is one dependency with what its policy comes to.
type subject struct {
	dep    config.Dependency
	policy audit.Assessment // what is known without data
	labels map[string]string
}

func subjectOf(dep config.Dependency) subject {
	s := subject{
		dep:    dep,
		policy: audit.Assess(audit.Input{Dependency: dep, Failure: &audit.Failure{Status: latency.StatusNoData}}),
		labels: map[string]string{},
	}
	for name, value := range map[string]string{"dependency": dep.Name, "caller": dep.Caller, "callee": dep.Callee, "owner": dep.Owner} {
		if value != "" {
			s.labels[name] = value
		}
	}
	return s
}

// read is PromQL for a series recorded for the subject before.
func (s subject) read(name string) string {
	return name + "{" + labels.MustNewMatcher(labels.MatchEqual, "dependency", s.dep.Name).String() + "}"
}

// limited reports whether anything cuts latency off.
func (s subject) limited() bool { return s.policy.Limit > 0 }

func (s subject) callScope() bool { return s.dep.Latency.Scope == "call" }

// record is a rule for one of the subject's series. extra are more labels, as
// name and value.
func (s subject) record(name, expr string, extra ...string) rulefile.Rule {
	all := map[string]string{}
	for label, value := range s.labels {
		all[label] = value
	}
	for i := 0; i+1 < len(extra); i += 2 {
		all[extra[i]] = extra[i+1]
	}
	return rulefile.Rule{Record: name, Expr: expr, Labels: all}
}

func vector(x float64) string { return fmt.Sprintf("vector(%s)", number(x)) }
