package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/timeout-auditor/timeout-auditor/metric"
)

const noChain = "Unknown: no auditor reports a chain for this selection"

// ofChain is a figure of each chain chosen.
func ofChain(name string) string { return highest(name, ofChains, "chain") }

// chains are calls under one deadline.
func chains() []cog.Builder[dashboard.Panel] {
	return []cog.Builder[dashboard.Panel]{chainTable(), budget(), chainAttempts()}
}

func chainTable() cog.Builder[dashboard.Panel] {
	figure := func(title, name string, look ...dashboard.DynamicConfigValue) column {
		return column{title: title, expr: ofChain(name), look: look}
	}
	return listing(card{title: "Chains", unit: asIs, width: wholeWidth, empty: noChain,
		about: "Calls under one deadline, those that need most of it first. While a hop is unknown, needed is only a lower bound and the attempts are empty: below 100% is then no good news. A chain links to the auditor's page, which shows hop by hop where the time goes."},
		"chain",
		column{title: "Needed ÷ deadline", expr: ofChain(metric.ChainNeeded) + "\n/\n" + ofChain(metric.ChainBudget),
			look: append(scaled(scale(step{1, warn})), inUnit(inPercent), byColour())},
		column{title: "Chain", label: "chain", look: []dashboard.DynamicConfigValue{linked(toPage("chains"))}},
		column{title: "Caller", label: "caller"}, column{title: "Owner", label: "owner"},
		column{title: "Worst finding", expr: severityRank(ofChains, "chain", "caller", "owner") + "\nor\n0 * " + highest(metric.ChainBudget, ofChains, "chain", "caller", "owner"),
			look: []dashboard.DynamicConfigValue{mapped(severityMeanings()), byColour()}},
		figure("Deadline", metric.ChainBudget, inUnit(inSeconds)),
		figure("Needed", metric.ChainNeeded, inUnit(inSeconds)),
		figure("Attempts at the innermost", metric.ChainAmplification, inUnit(asMultiple)),
		figure("At worst", metric.ChainWorstCaseAmplification, append(scaled(scale(step{4, warn})), inUnit(asMultiple), byColour())...),
	)
}

func budget() cog.Builder[dashboard.Panel] {
	return graph(card{title: "Budget against needed", unit: inSeconds, width: halfWidth, empty: noChain,
		about: metric.Lookup(metric.ChainNeeded).Help + " Above the deadline, dashed, the chain does not fit."}).
		OverrideByRegexp(".*deadline$", []dashboard.DynamicConfigValue{stepped(), dashed(), thick(2)}).
		Targets(over(
			query{ofChain(metric.ChainBudget), "{{chain}}: deadline"},
			query{ofChain(metric.ChainNeeded), "{{chain}}: needed"},
		))
}

func chainAttempts() cog.Builder[dashboard.Panel] {
	return graph(card{title: "Attempts at the innermost callee", unit: asMultiple, width: halfWidth, empty: noChain,
		about: "What one call of the chain becomes at its innermost callee: expected, and at worst, when everything fails. Retries of several levels multiply. Expected is absent while a hop is unknown."}).
		AxisSoftMin(1).
		OverrideByRegexp(".*worst case$", []dashboard.DynamicConfigValue{stepped(), dashed()}).
		Targets(over(
			query{ofChain(metric.ChainAmplification), "{{chain}}: expected"},
			query{ofChain(metric.ChainWorstCaseAmplification), "{{chain}}: worst case"},
		))
}
