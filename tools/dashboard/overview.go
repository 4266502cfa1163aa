package main

import (
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/table"

	"github.com/timeout-auditor/timeout-auditor/metric"
)

// nobody is said where no auditor tells anything.
const nobody = "Unknown: no auditor reports for this selection"

// overview is the fleet, worst first.
func overview() []cog.Builder[dashboard.Panel] {
	return []cog.Builder[dashboard.Panel]{
		findingsNow(), qualityNow(), costNow(),
		worstFirst(),
		findingsTable(card{title: "Standing findings", width: halfWidth, unit: asIs, empty: nobody + ", or there is no finding: see the counts above",
			about: "What stands now, worst first. A rule links to its runbook: what it means and what to do. A finding is held while the data are missing, up to hold_for."}, ofFleet),
		findingsOverTime(), qualityOverTime(),
	}
}

func findingsNow() cog.Builder[dashboard.Panel] {
	panel := numbers(card{title: "Findings", unit: asNumber, width: 7, empty: nobody,
		about: "Findings that stand now, by severity. 0 is shown only while an auditor reports; otherwise nothing is known."})
	var queries []query
	for i := len(severities()) - 1; i >= 0; i-- {
		severity := severities()[i]
		queries = append(queries, query{
			orNone("count(" + highest(metric.Finding, ofFleet+`, severity="`+severity+`"`, "dependency", "chain", "rule") + ")"), severity})
		panel.OverrideByName(severity, scaled(scale(step{1, severityColours()[i]})))
	}
	return panel.Targets(now(queries...))
}

func qualityNow() cog.Builder[dashboard.Panel] {
	panel := numbers(card{title: "Data quality", unit: asNumber, width: 11, empty: nobody,
		about: "Dependencies by status. ok: judged on enough data. uncertain: the data do not decide. thin-data, no-data, query-failed: nothing is known, which is not the same as fine. not reported: declared, and no report is fresh."})
	for i, status := range statuses() {
		panel.OverrideByName(status, scaled(scale(step{1, statusColours()[i]})))
	}
	panel.OverrideByName(unheard, scaled(scale(step{1, bad})))
	return panel.Targets(now(
		query{"sum by (status) (" + highest(metric.DependencyStatus, ofFleet, "dependency", "status") + ")", "{{status}}"},
		query{"count(" + highest(metric.PolicyRetries, ofFleet, "dependency") + ")\n-\n(" + reported() + " or vector(0))", unheard},
	))
}

func costNow() cog.Builder[dashboard.Panel] {
	return numbers(card{title: "Cost per day", unit: perDay, width: 6, empty: "Unknown: no dependency has both a prediction and a rate",
		about: "Over all dependencies selected whose rate is known, at the rate of now: attempts cut off although their reply would come, and calls that end in a fallback."}).
		Decimals(0).Targets(now(
		query{"sum(" + metric.FalseTimeoutsPerDay(ofFleet) + ")", "false timeouts"},
		query{"sum(" + metric.FallbacksPerDay(ofFleet) + ")", "fallbacks"},
	))
}

// badness orders dependencies: by the worst finding, then by how little is
// known, then by the share that may be cut off. The policy is exported for
// every dependency declared, so that none is missing.
func badness() string {
	declared := highest(metric.PolicyRetries, ofFleet, "dependency")
	parts := []string{
		"100 * (" + severityRank(ofDependencies, "dependency") + " or 0 * " + declared + ")",
		"10 * (" + statusRank(ofFleet) + ")",
		"(" + highest(metric.FalseTimeoutRatioUpper, ofFleet, "dependency") + " or 0 * " + declared + ")",
	}
	return strings.Join(parts, "\n+\n")
}

func worstFirst() cog.Builder[dashboard.Panel] {
	figure := func(title, name string, look ...dashboard.DynamicConfigValue) column {
		return column{title: title, expr: highest(name, ofFleet, "dependency"), look: look}
	}
	return listing(card{title: "Dependencies, worst first", unit: asIs, width: wholeWidth, empty: nobody,
		about: "Every declared dependency, at most 200: by its worst finding, then by how little is known, then by the share that may be cut off. An empty cell is unknown, and so is a status that is not ok. A dependency's links lead to its row on this dashboard and to the auditor's page."},
		"dependency",
		column{title: "Rank", expr: badness(), hidden: true},
		column{title: "Dependency", label: "dependency", look: []dashboard.DynamicConfigValue{linked(toRow(), toPage("dependencies"))}},
		column{title: "Caller", label: "caller"}, column{title: "Callee", label: "callee"}, column{title: "Owner", label: "owner"},
		column{title: "Worst finding", expr: severityRank(ofDependencies, metric.DependencyLabels()...) + "\nor\n0 * " + highest(metric.PolicyRetries, ofFleet, metric.DependencyLabels()...),
			look: []dashboard.DynamicConfigValue{mapped(severityMeanings()), byColour()}},
		column{title: "Status", expr: statusRank(ofFleet), look: []dashboard.DynamicConfigValue{mapped(statusMeanings()), byColour()}},
		column{title: "Timeout", expr: highest(metric.PolicyTimeout, ofFleet, "dependency"), empty: "none", look: []dashboard.DynamicConfigValue{inUnit(inSeconds)}},
		figure("p99", metric.LatencyP99, inUnit(inSeconds)),
		figure("Timeout ÷ p99", metric.TimeoutP99Ratio, append(scaled(belowP99()), inUnit(asMultiple), property("decimals", 2), byColour())...),
		figure("Cut off", metric.PredictedFalseTimeoutRatio, append(scaled(cutOff()), inUnit(inPercent), byColour())...),
		figure("At most", metric.FalseTimeoutRatioUpper, append(scaled(cutOff()), inUnit(inPercent), byColour())...),
		column{title: "Fallback", expr: "sum by (dependency) (" + highest(metric.PredictedFallbackRatio, ofFleet, "dependency", "cause") + ")", look: []dashboard.DynamicConfigValue{inUnit(inPercent)}},
		figure("Attempts per call", metric.PredictedAmplification, append(scaled(amplification()), inUnit(asMultiple), byColour())...),
		column{title: "Next timeout", expr: highest(metric.RecommendedTimeoutStep, ofFleet, "dependency"), empty: "–", look: []dashboard.DynamicConfigValue{inUnit(inSeconds)}},
	)
}

// belowP99 has no green: that a timeout lies above p99 does not make it right.
func belowP99() *dashboard.ThresholdsConfigBuilder {
	return scale(step{0, bad}, step{1, plain}, step{10, hint})
}

// findingsTable lists findings, worst first.
func findingsTable(c card, matchers string) *table.PanelBuilder {
	return listing(c, "rule",
		column{title: "Severity", expr: severityRank(matchers, "rule", "dependency", "chain", "owner"),
			look: []dashboard.DynamicConfigValue{mapped(severityMeanings()), byColour(), wide(100)}},
		column{title: "Rule", label: "rule", look: []dashboard.DynamicConfigValue{linked(toRunbook())}},
		column{title: "Dependency", label: "dependency", look: []dashboard.DynamicConfigValue{linked(toRow(), toPage("dependencies"))}},
		column{title: "Chain", label: "chain", look: []dashboard.DynamicConfigValue{linked(toPage("chains"))}},
		column{title: "Owner", label: "owner"},
	)
}

func findingsOverTime() cog.Builder[dashboard.Panel] {
	panel := stacked(card{title: "Findings over time", unit: asNumber, width: 6, empty: nobody,
		about: "Findings that stood, by severity. A gap: nobody reported."})
	var queries []query
	for i, severity := range severities() {
		queries = append(queries, query{
			orNone("count(" + highest(metric.Finding, ofFleet+`, severity="`+severity+`"`, "dependency", "chain", "rule") + ")"), severity})
		panel.OverrideByName(severity, []dashboard.DynamicConfigValue{coloured(severityColours()[i])})
	}
	return panel.DrawStyle(common.GraphDrawStyleLine).LineInterpolation(common.LineInterpolationStepAfter).Targets(over(queries...))
}

func qualityOverTime() cog.Builder[dashboard.Panel] {
	panel := stacked(card{title: "Data quality over time", unit: asNumber, width: 6, empty: nobody,
		about: "Dependencies by status. Only ok is judged on enough data. A gap: nobody reported."})
	for i, status := range statuses() {
		panel.OverrideByName(status, []dashboard.DynamicConfigValue{coloured(statusColours()[i])})
	}
	return panel.LineInterpolation(common.LineInterpolationStepAfter).
		Targets(over(query{"sum by (status) (" + highest(metric.DependencyStatus, ofFleet, "dependency", "status") + ")", "{{status}}"}))
}
