package main

import (
	"fmt"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"

	"github.com/timeout-auditor/timeout-auditor/metric"
)

// Matchers by the dashboard's variables.
const (
	ofAuditors     = `job=~"$job"`
	ofFleet        = ofAuditors + `, owner=~"$owner", caller=~"$caller", callee=~"$callee"`
	ofDependency   = ofAuditors + `, dependency="$dependency"`
	ofChains       = ofAuditors + `, owner=~"$owner", caller=~"$caller", chain=~"$chain"`
	ofDependencies = ofFleet + `, dependency!=""` // findings about chains have none
)

// series is a metric of the product's table with matchers. Any other name
// panics in Lookup, and go generate fails.
func series(name, matchers string) string {
	return metric.Lookup(name).Name + "{" + matchers + "}"
}

// highest drops instance and pod, so that replicas of the auditor are one line.
func highest(name, matchers string, by ...string) string {
	return fmt.Sprintf("max by (%s) (%s)", strings.Join(by, ", "), series(name, matchers))
}

// statuses are those of a dependency, best first: each one's index is its rank.
func statuses() []string {
	return []string{"ok", "uncertain", "thin-data", "no-data", "query-failed"}
}

// notReported is the rank of a dependency that is declared and has no status,
// because no report is fresh.
func notReported() int { return len(statuses()) }

// statusRank is the rank of the status that replicas agree on, or of the worst.
// It is absent where nothing is declared.
func statusRank(matchers string) string {
	var parts []string
	for rank, status := range statuses() {
		parts = append(parts, fmt.Sprintf(`%d * (%s == 1)`, rank, series(metric.DependencyStatus, matchers+`, status="`+status+`"`)))
	}
	return fmt.Sprintf("max by (dependency) (\n  %s\n)\nor\n%d + 0 * %s",
		strings.Join(parts, "\n  or\n  "), notReported(), highest(metric.PolicyRetries, matchers, "dependency"))
}

// severities are those of findings, mildest first: the rank is the index + 1.
func severities() []string { return []string{"info", "warning", "critical"} }

// severityRank is the rank of the worst finding that stands, by labels.
func severityRank(matchers string, by ...string) string {
	var parts []string
	for i, severity := range severities() {
		parts = append(parts, fmt.Sprintf(`%d * %s`, i+1, series(metric.Finding, matchers+`, severity="`+severity+`"`)))
	}
	return fmt.Sprintf("max by (%s) (\n  %s\n)", strings.Join(by, ", "), strings.Join(parts, "\n  or\n  "))
}

// reported counts the dependencies that have a fresh status. Where it is absent
// nobody knows anything, and a count of findings must not read 0.
func reported() string {
	return fmt.Sprintf("count(max by (dependency) (%s == 1))", series(metric.DependencyStatus, ofFleet))
}

// orNone gives 0 for a count that is empty, but only while somebody reports.
func orNone(count string) string { return count + "\nor\n0 * " + reported() }

// query is one question of a panel.
type query struct {
	expr   string
	legend string
}

// over asks for the time range.
func over(queries ...query) []cog.Builder[variants.Dataquery] {
	return targets(queries, func(q *prometheus.DataqueryBuilder) { q.Range().Format(prometheus.PromQueryFormatTimeSeries) })
}

// now asks for the end of the time range only.
func now(queries ...query) []cog.Builder[variants.Dataquery] {
	return targets(queries, func(q *prometheus.DataqueryBuilder) { q.Instant().Format(prometheus.PromQueryFormatTimeSeries) })
}

// rows asks for the end of the time range, as a table with a column per label.
func rows(queries ...query) []cog.Builder[variants.Dataquery] {
	return targets(queries, func(q *prometheus.DataqueryBuilder) { q.Instant().Format(prometheus.PromQueryFormatTable) })
}

func targets(queries []query, shape func(*prometheus.DataqueryBuilder)) []cog.Builder[variants.Dataquery] {
	all := make([]cog.Builder[variants.Dataquery], len(queries))
	for i, q := range queries {
		legend := q.legend
		if legend == "" {
			legend = "__auto"
		}
		target := prometheus.NewDataqueryBuilder().RefId(refID(i)).Expr(q.expr).LegendFormat(legend).
			EditorMode(prometheus.QueryEditorModeCode).Datasource(dataSource())
		shape(target)
		all[i] = target
	}
	return all
}

// refID names the queries of a panel A, B, C and so on.
func refID(i int) string { return string(rune('A' + i)) }
