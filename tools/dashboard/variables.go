package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"

	"github.com/timeout-auditor/timeout-auditor/metric"
)

// Defaults of the variables that links start with. Package deploy/grafana puts
// other URLs in their place.
const (
	auditorURL = "http://localhost:10815"
	runbookURL = "https://github.com/timeout-auditor/timeout-auditor/blob/main/docs/runbooks/"
)

func dataSource() common.DataSourceRef {
	return common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}
}

// labelled is a variable whose values are those of a label.
type labelled struct {
	name     string
	title    string
	selector string // of the series that have the label
	about    string
}

// variables are what a viewer chooses, from left to right.
func variables() []cog.Builder[dashboard.VariableModel] {
	declared := fmt.Sprintf(`{__name__=~"%s|%s", %s`, metric.Lookup(metric.PolicyRetries).Name, metric.Lookup(metric.ChainBudget).Name, ofAuditors)
	return []cog.Builder[dashboard.VariableModel]{
		dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus").
			Description("The Prometheus that scrapes the auditor."),
		labelled{"job", "Auditor", series(metric.BuildInfo, ""), "The scrape job of the auditor."}.many(),
		labelled{"owner", "Owner", declared + "}", "The team that owns the dependency or chain. All includes those without one."}.many(),
		labelled{"caller", "Caller", declared + `, owner=~"$owner"}`, "The service that calls. All includes dependencies without one."}.many(),
		labelled{"callee", "Callee", series(metric.PolicyRetries, ofAuditors+`, owner=~"$owner", caller=~"$caller"`), "The service that is called. All includes dependencies without one."}.many(),
		labelled{"dependency", "Dependency", series(metric.PolicyRetries, ofFleet), "The dependency that the second row is about."}.one(),
		labelled{"chain", "Chain", series(metric.ChainBudget, ofAuditors+`, owner=~"$owner", caller=~"$caller"`), "The chains that the third row is about."}.many().
			AllValue(".+"), // findings about dependencies have an empty chain
		text("auditor_url", "Auditor's URL", auditorURL, "Where links to the auditor's page lead: its --web.external-url, without a slash at the end."),
		text("runbook_url", "Runbooks", runbookURL, "Where links to runbooks lead, with a slash at the end."),
	}
}

// one lets a viewer choose one value.
func (l labelled) one() *dashboard.QueryVariableBuilder {
	query := "label_values(" + l.selector + ", " + l.name + ")"
	return dashboard.NewQueryVariableBuilder(l.name).Label(l.title).Description(l.about).Datasource(dataSource()).
		Query(dashboard.StringOrMap{Map: map[string]any{"qryType": 1, "query": query, "refId": "PrometheusVariableQueryEditor-VariableQuery"}}).
		Definition(query).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).Sort(dashboard.VariableSortAlphabeticalCaseInsensitiveAsc).
		Multi(false).IncludeAll(false)
}

// many lets a viewer choose any number of values. All matches an empty label
// too, which label_values does not list.
func (l labelled) many() *dashboard.QueryVariableBuilder {
	all := dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}}
	every := dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}}
	return l.one().Multi(true).IncludeAll(true).AllValue(".*").
		Current(dashboard.VariableOption{Selected: new(true), Text: all, Value: every})
}

func text(name, label, value, about string) *dashboard.TextBoxVariableBuilder {
	current := dashboard.StringOrArrayOfString{String: &value}
	return dashboard.NewTextBoxVariableBuilder(name).Label(label).Description(about).
		DefaultValue(dashboard.StringOrMap{String: &value}).
		Current(dashboard.VariableOption{Selected: new(true), Text: current, Value: current})
}

// timeoutChanges marks when the declared timeout of the dependency changed.
func timeoutChanges() cog.Builder[dashboard.AnnotationQuery] {
	expr := "changes(" + series(metric.PolicyTimeout, ofDependency) + "[$__interval]) > 0"
	return dashboard.NewAnnotationQueryBuilder().Name("Declared timeout changed").Datasource(dataSource()).Enable(true).IconColor(hint).
		Expr(expr).TitleFormat("The declared timeout of {{dependency}} changed").Step("1m").
		Target(prometheus.NewDataqueryBuilder().RefId("A").Expr(expr).Interval("1m").Range())
}
