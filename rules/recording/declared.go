package recording

import "github.com/timeout-auditor/timeout-auditor/rules/rulefile"

// declared are the policy's figures, as series of constants for dashboards.
func (s subject) declared() []rulefile.Rule {
	p := s.policy
	rules := []rulefile.Rule{
		s.record(PolicyRetries, s.constant(float64(p.Policy.Retries))),
		s.record(WorstCase, s.constant(float64(p.WorstCase))),
		s.record(Correlation, s.constant(p.Correlation.Value)),
	}
	if p.Policy.Timeout > 0 {
		rules = append(rules, s.record(PolicyTimeout, s.constant(p.Policy.Timeout)))
	}
	if s.limited() {
		return append(rules, s.record(EffectiveTimeout, s.constant(p.Limit)))
	}
	return append(rules, s.record(NoTimeout, s.constant(1)))
}
