package metric

import (
	"fmt"
	"strings"
)

// Record is a series that a recording rule makes of exported ones.
type Record struct {
	Name   string
	Help   string
	Labels []string // all of them, in order
	Expr   string   // PromQL
}

// Names of what the generated rules record.
const (
	RecordedFalseTimeouts = "dependency:timeout_auditor_false_timeouts:per_day"
	RecordedFallbacks     = "dependency_cause:timeout_auditor_fallbacks:per_day"
)

// Recorded returns what the generated rules record for each dependency.
func Recorded() []Record {
	return []Record{
		{
			Name: RecordedFalseTimeouts, Labels: DependencyLabels(), Expr: FalseTimeoutsPerDay(""),
			Help: "Attempts a day cut off although their reply would come, at the rate of the window.",
		},
		{
			Name: RecordedFallbacks, Labels: append(DependencyLabels(), "cause"), Expr: FallbacksPerDay(""),
			Help: "Calls a day whose every attempt fails, at the rate of the window, by cause.",
		},
	}
}

// FalseTimeoutsPerDay is PromQL for p · attempts/s · 86400 of each dependency.
// The matchers, such as `dependency="a"`, go to every metric in it. Replicas of
// the auditor count once.
func FalseTimeoutsPerDay(matchers string) string {
	return "86400\n* " + strongest(PredictedFalseTimeoutRatio, matchers) +
		"\n* " + strongest(AttemptsPerSecond, matchers)
}

// FallbacksPerDay is PromQL for F · calls/s · 86400 of each dependency, by
// cause, where calls/s are attempts/s ÷ amplification (docs/model.md §5).
func FallbacksPerDay(matchers string) string {
	labels := strings.Join(DependencyLabels(), ", ")
	return "86400\n* " + strongest(PredictedFallbackRatio, matchers, "cause") +
		fmt.Sprintf("\n* on (%s) group_left ()\n(\n  %s\n  / %s\n)", labels,
			strongest(AttemptsPerSecond, matchers), strongest(PredictedAmplification, matchers))
}

func strongest(name, matchers string, more ...string) string {
	if matchers != "" {
		name += "{" + matchers + "}"
	}
	return fmt.Sprintf("max by (%s) (%s)", strings.Join(append(DependencyLabels(), more...), ", "), name)
}
