package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/timeout-auditor/timeout-auditor/metric"
)

const noAuditor = "No auditor is scraped"

// itself is the auditor's own health.
func itself() []cog.Builder[dashboard.Panel] {
	return []cog.Builder[dashboard.Panel]{
		auditors(), successAge(), cycleAge(), reload(), failing(), missed(),
		cycleDuration(), cycles(), queries(), queryDuration(), notifications(),
	}
}

// ageOf is how long ago the freshest replica did something. Before the first
// time the timestamp is 0, which is no age.
func ageOf(name string) string {
	return "time() - max(" + series(name, ofAuditors) + " > 0)"
}

func auditors() cog.Builder[dashboard.Panel] {
	return numbers(card{title: "Auditors", unit: asNumber, width: 4, empty: noAuditor,
		about: "Replicas that Prometheus scrapes, by version."}).
		Targets(now(query{"count by (version) (" + series(metric.BuildInfo, ofAuditors) + ")", "{{version}}"}))
}

func successAge() cog.Builder[dashboard.Panel] {
	return number(card{title: "Since the last success", unit: inSeconds, width: 4, empty: "Never since its start, or " + noAuditor,
		about: "How long ago Prometheus last answered for at least one dependency. After stale_after, 5 minutes by default, figures are withheld."}).
		Thresholds(scale(step{0, good}, step{300, warn}, step{900, bad})).
		Targets(now(query{ageOf(metric.LastSuccess), "since the last success"}))
}

func cycleAge() cog.Builder[dashboard.Panel] {
	return number(card{title: "Since the last cycle", unit: inSeconds, width: 4, empty: "Never since its start, or " + noAuditor,
		about: "How long ago a cycle last ended, whatever became of it."}).
		Targets(now(query{ageOf(metric.LastCycle), "since the last cycle"}))
}

func reload() cog.Builder[dashboard.Panel] {
	return numbers(card{title: "Configuration", unit: asIs, width: 4, empty: noAuditor,
		about: "Whether the last load succeeded on every replica, and how long ago one last did. After a failed one the configuration before it stays in force; the log says what is wrong."}).
		Mappings(meanings(0, "unknown", meaning{"failed", bad}, meaning{"loaded", good})).
		OverrideByName("age", []dashboard.DynamicConfigValue{inUnit(inSeconds), property("mappings", []any{}), coloured(plain)}).
		Targets(now(
			query{"min(" + series(metric.ConfigReloadSuccessful, ofAuditors) + ")", "last load"},
			query{ageOf(metric.ConfigReloadSuccessSecond), "age"},
		))
}

func failing() cog.Builder[dashboard.Panel] {
	return number(card{title: "Queries failing", unit: inPercent, width: 4, empty: "Unknown: no query was sent in 15 minutes",
		about: "Share of the queries to Prometheus that failed in 15 minutes. TimeoutAuditorQueriesFailing fires above 5%."}).
		Thresholds(scale(step{0, good}, step{0.05, warn}, step{0.5, bad})).
		Targets(now(query{fmt.Sprintf("sum(rate(%s[15m]))\n/\n(sum(rate(%s[15m])) > 0)",
			series(metric.Queries, ofAuditors+`, result!~"success|canceled"`), series(metric.Queries, ofAuditors)), "failing"}))
}

func missed() cog.Builder[dashboard.Panel] {
	return number(card{title: "Cycles missed in a day", unit: asNumber, width: 4, empty: noAuditor,
		about: metric.Lookup(metric.CyclesMissed).Help + " The schedule asks for more than Prometheus can answer."}).
		Decimals(0).Thresholds(scale(step{0, good}, step{1, warn})).
		Targets(now(query{"max(increase(" + series(metric.CyclesMissed, ofAuditors) + "[1d]))", "missed"}))
}

// quantiles reads a histogram of the auditor's own.
func quantiles(name string) []query {
	buckets := metric.Lookup(name).Name + "_bucket{" + ofAuditors + "}[$__rate_interval]"
	read := func(q float64) string {
		return fmt.Sprintf("histogram_quantile(%g, sum by (le) (rate(%s)))", q, buckets)
	}
	return []query{{read(0.5), "p50"}, {read(0.99), "p99"}}
}

func cycleDuration() cog.Builder[dashboard.Panel] {
	return graph(card{title: "Duration of a cycle", unit: inSeconds, width: 6, empty: "Unknown: no cycle ended",
		about: metric.Lookup(metric.CycleDuration).Help + " Longer than the schedule's gap means missed cycles."}).
		Targets(over(quantiles(metric.CycleDuration)...))
}

// byResult counts what happened, by its result.
func byResult(c card, name string) cog.Builder[dashboard.Panel] {
	return stacked(c).DrawStyle(common.GraphDrawStyleLine).
		OverrideByName("success", []dashboard.DynamicConfigValue{coloured(good)}).
		OverrideByRegexp("failure|failed", []dashboard.DynamicConfigValue{coloured(bad)}).
		OverrideByName("partial", []dashboard.DynamicConfigValue{coloured(warn)}).
		Targets(over(query{"60 * sum by (result) (rate(" + series(name, ofAuditors) + "[$__rate_interval]))", "{{result}}"}))
}

func cycles() cog.Builder[dashboard.Panel] {
	return byResult(card{title: "Cycles by result", unit: perMinute, width: 6, empty: noAuditor,
		about: metric.Lookup(metric.Cycles).Help}, metric.Cycles)
}

func queries() cog.Builder[dashboard.Panel] {
	return byResult(card{title: "Queries by result", unit: perMinute, width: 6, empty: noAuditor,
		about: metric.Lookup(metric.Queries).Help + " The runbook of TimeoutAuditorQueriesFailing explains each."}, metric.Queries)
}

func notifications() cog.Builder[dashboard.Panel] {
	return byResult(card{title: "Notifications by result", unit: perMinute, width: 24, empty: "No Alertmanager is configured, or " + noAuditor,
		about: metric.Lookup(metric.Notifications).Help + " Only those who push to Alertmanagers without rules have any."}, metric.Notifications)
}

func queryDuration() cog.Builder[dashboard.Panel] {
	return graph(card{title: "Duration of a query", unit: inSeconds, width: 6, empty: "Unknown: no query was sent",
		about: metric.Lookup(metric.QueryDuration).Help}).
		Targets(over(quantiles(metric.QueryDuration)...))
}
