package recording

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

// window are the figures of the data, each read from those before it.
func (s subject) window() []rulefile.Rule {
	src := sourceOf(s)
	f := fitOf(s, src)
	rules := []rulefile.Rule{
		s.measured(P50, src.quantile(median)),
		s.measured(P99, src.quantile(p99)),
	}
	if src.largest != "" {
		rules = append(rules, s.measured(Largest, src.largest))
	}
	rules = append(rules, s.record(Sigma, f.sigma))
	if src.samples != "" {
		rules = append(rules, s.measured(Samples, src.samples))
	}
	if !s.limited() {
		return rules
	}
	rules = append(rules,
		s.record(TimeoutP99Ratio, fmt.Sprintf("%s / %s", number(s.policy.Limit), s.read(P99))),
		s.record(Score, f.score),
		s.record(FalseTimeoutRatio, upperTail(s.read(Score))),
	)
	rules = append(rules, s.calls()...)
	return append(rules, s.unknown(src))
}
