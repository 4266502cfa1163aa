package rules

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/metric"
)

// value is the part of an annotation template that looks a dependency's figure
// up when the alert is sent, so that the page carries the numbers.
func value(name, matchers, format string) string {
	return lookup("dependency", name, matchers, format)
}

// chainValue is the same for a figure of a chain.
func chainValue(name, format string) string { return lookup("chain", name, "", format) }

func lookup(label, name, matchers, format string) string {
	return fmt.Sprintf(`{{ with printf "%[2]s{%[1]s=%%q%[3]s}" $labels.%[1]s | query }}{{ . | first | value | %[4]s }}{{ else }}unknown{{ end }}`,
		label, name, matchers, format)
}

const (
	percentage = "humanizePercentage"
	seconds    = "humanizeDuration"
	plain      = `printf "%.3g"`
)

var (
	falseTimeoutText = value(metric.PredictedFalseTimeoutRatio, "", percentage) +
		" (" + value(metric.FalseTimeoutRatioLower, "", percentage) + " to " + value(metric.FalseTimeoutRatioUpper, "", percentage) + ")"
	timeoutText = value(metric.PolicyTimeout, "", seconds)
	p99Value    = value(metric.LatencyP99, "", seconds)
	nextStep    = `{{ with printf "` + metric.RecommendedTimeoutStep + `{dependency=%q}" $labels.dependency | query }} Next timeout to set: {{ . | first | value | humanizeDuration }}.{{ end }}`

	describeTimeoutBelowP99 = "The timeout of {{ $labels.dependency }} is " + timeoutText + ", its p99 reads " + p99Value + ": " +
		falseTimeoutText + " of attempts are cut off although their reply would come." + nextStep

	describeFalseTimeoutRatioHigh = falseTimeoutText + " of attempts to {{ $labels.dependency }} are cut off at " + timeoutText +
		" although their reply would come, more than its target. p99 reads " + p99Value + "." + nextStep

	describeFallbackRatioHigh = "Every attempt fails for " +
		value(metric.PredictedFallbackRatio, `,cause=\"timeout\"`, percentage) + " of calls to {{ $labels.dependency }} by timeouts, " +
		value(metric.PredictedFallbackRatio, `,cause=\"error\"`, percentage) + " by errors, " +
		value(metric.PredictedFallbackRatio, `,cause=\"mixed\"`, percentage) + " by both. " +
		falseTimeoutText + " of attempts are cut off at " + timeoutText + "."

	describeAmplificationHigh = "Retries send " + value(metric.PredictedAmplification, "", plain) +
		" attempts per call to {{ $labels.dependency }}, " + value(metric.WorstCaseAmplification, "", plain) +
		" at worst. " + falseTimeoutText + " of attempts are cut off at " + timeoutText + "."

	describeMeasuredDiffers = "What counters measure for {{ $labels.dependency }} is not what its histogram predicts: timeouts measured " +
		value(metric.ObservedFalseTimeoutRatio, "", percentage) + ", histogram through p50 and p99 " + value(metric.LognormalFalseTimeoutRatio, "", percentage) +
		". Believe the counters: calls that vanish leave no latency sample."

	describeTimeoutFarAboveP99 = "The timeout of {{ $labels.dependency }} is " + timeoutText + ", " +
		value(metric.TimeoutP99Ratio, "", plain) + " times its p99 of " + p99Value +
		": when the dependency hangs, every call holds its thread or connection that long."
)
