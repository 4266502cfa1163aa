package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/stat"

	"github.com/timeout-auditor/timeout-auditor/metric"
)

const (
	noFigure = "Unknown: the status says why"
	noRate   = "Unknown: no prediction, or no rate of attempts (a histogram of whole calls has none)"
)

// ofOne is a figure of the dependency chosen.
func ofOne(name string) string { return highest(name, ofDependency, "dependency") }

// oneDependency is all about the dependency chosen, verdict first.
func oneDependency() []cog.Builder[dashboard.Panel] {
	return []cog.Builder[dashboard.Panel]{
		statusNow(), worstNow(), figureNow("Timeout", inSeconds, metric.PolicyTimeout, "None is declared, or no auditor reports"),
		figureNow("p99", inSeconds, metric.LatencyP99, noFigure),
		figureNow("Timeout ÷ p99", asMultiple, metric.TimeoutP99Ratio, noFigure).Decimals(2).Thresholds(belowP99()),
		cutOffNow(),
		fallbacksNow(),
		figureNow("Next timeout to set", inSeconds, metric.RecommendedTimeoutStep, "None: the data cannot carry one"),
		latencyOverTime(), cutOffOverTime(),
		beside(), perDayOverTime(), attemptsOverTime(),
		recommendation(), statusOverTime(), evidence(),
		findingsTable(card{title: "Findings of $dependency", width: halfWidth, unit: asIs, empty: "No finding stands. That is good news only with the status ok",
			about: "What stands now, worst first. A rule links to its runbook: what it means and what to do."}, ofDependency),
		model(),
	}
}

// figureNow is a metric of the dependency with its own help as description.
func figureNow(title, unit, name, empty string) *stat.PanelBuilder {
	return number(card{title: title, unit: unit, width: eighthWidth, empty: empty, about: metric.Lookup(name).Help}).
		Targets(now(query{ofOne(name), title}))
}

func statusNow() cog.Builder[dashboard.Panel] {
	return number(card{title: "Status", unit: asIs, width: eighthWidth, empty: "Not reported",
		about: "How well the data decide. Only ok is judged on enough data; the auditor's page and check-config --online say what is missing."}).
		Mappings(statusMeanings()).
		Targets(now(query{statusRank(ofDependency), "status"}))
}

func worstNow() cog.Builder[dashboard.Panel] {
	return number(card{title: "Worst finding", unit: asIs, width: eighthWidth, empty: "Not reported",
		about: "The worst finding that stands. None is good news only with the status ok."}).
		Mappings(severityMeanings()).
		Targets(now(query{severityRank(ofDependency, "dependency") + "\nor\n0 * " + highest(metric.PolicyRetries, ofDependency, "dependency"), "worst finding"}))
}

func cutOffNow() cog.Builder[dashboard.Panel] {
	return numbers(card{title: "Attempts cut off", unit: inPercent, width: eighthWidth, empty: noFigure,
		about: metric.Lookup(metric.PredictedFalseTimeoutRatio).Help + " Beside it the most that the counts allow, at 99%. Amber from 0.5%, red from 2%."}).
		Thresholds(cutOff()).
		Targets(now(query{ofOne(metric.PredictedFalseTimeoutRatio), "predicted"}, query{ofOne(metric.FalseTimeoutRatioUpper), "at most"}))
}

func fallbacksNow() cog.Builder[dashboard.Panel] {
	return number(card{title: "Fallbacks per day", unit: perDay, width: eighthWidth, empty: noRate,
		about: "Calls a day whose every attempt fails, at the rate of the window: the callers get an error, a default or a cached value."}).
		Decimals(0).Targets(now(query{"sum(" + metric.FallbacksPerDay(ofDependency) + ")", "fallbacks"}))
}

func latencyOverTime() cog.Builder[dashboard.Panel] {
	return graph(card{title: "Timeout against latency", unit: inSeconds, width: halfWidth, empty: noFigure,
		about: "The declared timeout, red, against the latency it cuts. p90 and p99.9 are exported with metrics.detail only. With the reason top-bucket p99 is a lower bound. Logarithmic."}).
		ScaleDistribution(common.NewScaleDistributionConfigBuilder().Type(common.ScaleDistributionLog).Log(10)).
		OverrideByName("timeout", []dashboard.DynamicConfigValue{coloured(bad), stepped(), thick(2)}).
		OverrideByName("target timeout", []dashboard.DynamicConfigValue{coloured(hint), dashed()}).
		Targets(over(
			query{ofOne(metric.PolicyTimeout), "timeout"},
			query{ofOne(metric.RecommendedTimeout), "target timeout"},
			query{ofOne(metric.LatencyP50), "p50"},
			query{ofOne(metric.LatencyP90), "p90"},
			query{ofOne(metric.LatencyP99), "p99"},
			query{ofOne(metric.LatencyP999), "p99.9"},
		))
}

func cutOffOverTime() cog.Builder[dashboard.Panel] {
	band := func(more ...dashboard.DynamicConfigValue) []dashboard.DynamicConfigValue {
		return append(more, coloured(hint), thick(0))
	}
	return graph(card{title: "Attempts cut off, with the interval", unit: inPercent, width: halfWidth, empty: noFigure,
		about: "The predicted share of attempts cut off although their reply would come, inside the bracket that the counts alone allow at 99%. No distribution is assumed for the bracket. Amber from 0.5%, red from 2%."}).
		Thresholds(cutOff()).ThresholdsStyle(common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed)).
		OverrideByName("at most", band(property("custom.fillBelowTo", "at least"), property("custom.fillOpacity", 20))).
		OverrideByName("at least", band()).
		OverrideByName("predicted", []dashboard.DynamicConfigValue{coloured(plain), thick(2)}).
		Targets(over(
			query{ofOne(metric.FalseTimeoutRatioUpper), "at most"},
			query{ofOne(metric.FalseTimeoutRatioLower), "at least"},
			query{ofOne(metric.PredictedFalseTimeoutRatio), "predicted"},
		))
}

func beside() cog.Builder[dashboard.Panel] {
	return graph(card{title: "Predicted beside observed", unit: inPercent, width: thirdWidth, empty: noFigure,
		about: "Observed is timeouts divided by attempts, where observed.timeouts and observed.attempts are configured. The lognormal through p50 and p99 is for checking by hand: no verdict rests on it. Where they part, believe the counters (measured-differs)."}).
		Targets(over(
			query{ofOne(metric.PredictedFalseTimeoutRatio), "predicted"},
			query{ofOne(metric.ObservedFalseTimeoutRatio), "observed"},
			query{ofOne(metric.LognormalFalseTimeoutRatio), "two-quantile lognormal"},
		))
}

func perDayOverTime() cog.Builder[dashboard.Panel] {
	return graph(card{title: "Per day", unit: perDay, width: thirdWidth, empty: noRate,
		about: "At the rate of the window: attempts cut off although their reply would come, and calls that end in a fallback, by what became of their attempts: all timed out, all failed otherwise, or some of each."}).
		Targets(over(
			query{metric.FalseTimeoutsPerDay(ofDependency), "false timeouts"},
			query{metric.FallbacksPerDay(ofDependency), "fallbacks: {{cause}}"},
		))
}

func attemptsOverTime() cog.Builder[dashboard.Panel] {
	return graph(card{title: "Attempts per call", unit: asMultiple, width: thirdWidth, empty: noFigure,
		about: "What retries add to the load: predicted now, and at worst, when every attempt fails. An outage is when the worst case comes."}).
		AxisSoftMin(1).
		OverrideByName("worst case", []dashboard.DynamicConfigValue{coloured(bad), stepped(), dashed()}).
		Targets(over(
			query{ofOne(metric.PredictedAmplification), "predicted"},
			query{ofOne(metric.WorstCaseAmplification), "worst case"},
		))
}

func recommendation() cog.Builder[dashboard.Panel] {
	return graph(card{title: "Recommended timeout", unit: inSeconds, width: thirdWidth, empty: "None: no auditor reports, or none is declared and the data cannot carry one",
		about: "The timeout to set next lies at most max_step away from the one in force, towards the target, which meets target_false_timeout_ratio with headroom. Where the histogram is bent by its own timeout the target is unknown beyond it: take the step and look again."}).
		OverrideByName("declared", []dashboard.DynamicConfigValue{coloured(bad), stepped(), thick(2)}).
		OverrideByName("target", []dashboard.DynamicConfigValue{coloured(hint), dashed()}).
		Targets(over(
			query{ofOne(metric.PolicyTimeout), "declared"},
			query{ofOne(metric.RecommendedTimeoutStep), "set next"},
			query{ofOne(metric.RecommendedTimeout), "target"},
		))
}

func statusOverTime() cog.Builder[dashboard.Panel] {
	return states(card{title: "Status over time", unit: asIs, width: thirdWidth, empty: "Not reported",
		about: "How well the data decided. Only ok is judged on enough data. A gap: nobody reported."}).
		Mappings(statusMeanings()).
		Targets(over(query{statusRank(ofDependency), "status"}))
}

func evidence() cog.Builder[dashboard.Panel] {
	return graph(card{title: "Evidence", unit: asNumber, width: thirdWidth, empty: noFigure,
		about: "Calls behind the figures, and attempts per second on the right. Few calls make a wide interval."}).
		OverrideByName("attempts per second", []dashboard.DynamicConfigValue{inUnit(perSecond), property("custom.axisPlacement", "right")}).
		Targets(over(
			query{ofOne(metric.Samples), "calls in the window"},
			query{ofOne(metric.AttemptsPerSecond), "attempts per second"},
		))
}

// model is what the prediction rests on, for those who check it.
func model() cog.Builder[dashboard.Panel] {
	return numbers(card{title: "What the prediction rests on", unit: asNumber, width: halfWidth, empty: noFigure,
		about: "Latency may grow by: until retries exceed their budget, or 20% of calls without one. Unknown outcomes: attempts cut off that may have been applied. Correlation: share of calls whose attempts share one fate. Sigma of the two-quantile lognormal; distance of the fit (metrics.detail only)."}).
		Height(graphRows).
		OverrideByName("latency may grow by", []dashboard.DynamicConfigValue{inUnit(asMultiple)}).
		OverrideByName("unknown outcomes", []dashboard.DynamicConfigValue{inUnit(perSecond)}).
		OverrideByName("correlation", []dashboard.DynamicConfigValue{inUnit(inPercent)}).
		Targets(now(
			query{ofOne(metric.PolicyRetries), "retries declared"},
			query{ofOne(metric.TripPoint), "latency may grow by"},
			query{ofOne(metric.UnknownOutcomes), "unknown outcomes"},
			query{ofOne(metric.CorrelationRatio), "correlation"},
			query{ofOne(metric.LognormalSigma), "sigma"},
			query{ofOne(metric.FitKSDistance), "distance of the fit"},
		))
}
