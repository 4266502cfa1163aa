package main

import (
	"strconv"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/table"
)

// mostRows bounds a table, for the sake of the browser.
const mostRows = 200

// column is one column of a table. One with an expression shows its values, one
// without shows the label.
type column struct {
	title  string
	expr   string
	label  string
	empty  string // what stands in a cell without a value; unknown, and for a label a dash
	hidden bool   // only sorted by
	look   []dashboard.DynamicConfigValue
}

// listing is a table of which each row has its own value of the label key. Its
// first column with an expression orders the rows, highest first.
func listing(c card, key string, columns ...column) *table.PanelBuilder {
	panel := table.NewPanelBuilder().Title(c.title).Description(c.about).NoValue(c.empty).Unit(c.unit).
		Span(c.width).Height(graphRows).Datasource(dataSource()).
		Thresholds(scale()).ColorScheme(dashboard.NewFieldColorBuilder().Mode(dashboard.FieldColorModeIdThresholds)).
		ShowHeader(true).CellHeight(common.TableCellHeightSm).
		Footer(common.NewTableFooterOptionsBuilder().Show(false).EnablePagination(true).Reducer([]string{}))
	var queries []query
	for _, col := range columns {
		if col.expr != "" {
			queries = append(queries, query{expr: col.expr})
		}
		panel.OverrideByName(col.title, append(col.look, property("noValue", col.absent())))
	}
	panel.Targets(rows(queries...))
	if len(queries) > 1 {
		panel.WithTransformation(transformation("joinByField", map[string]any{"byField": key, "mode": "outer"}))
	}
	return panel.
		WithTransformation(transformation("sortBy", map[string]any{"fields": map[string]any{}, "sort": []any{map[string]any{"field": valueField(0, len(queries)), "desc": true}}})).
		WithTransformation(transformation("limit", map[string]any{"limitField": strconv.Itoa(mostRows)})).
		WithTransformation(transformation("organize", arrange(columns, len(queries))))
}

func (c column) absent() string {
	switch {
	case c.empty != "":
		return c.empty
	case c.expr == "":
		return "–"
	}
	return "unknown"
}

// arrange names and orders the columns and drops the times. A join numbers them.
func arrange(columns []column, queries int) map[string]any {
	names, order, out := map[string]string{}, map[string]int{}, map[string]bool{"Time": true}
	asked := 0
	for i, col := range columns {
		field := col.label
		if col.expr != "" {
			field = valueField(asked, queries)
			asked++
			out["Time "+strconv.Itoa(asked)] = true
		}
		names[field], order[field] = col.title, i
		if col.hidden {
			out[field] = true
		}
	}
	return map[string]any{"excludeByName": out, "indexByName": order, "renameByName": names, "includeByName": map[string]any{}}
}

// valueField is what Grafana calls the values of a query of so many.
func valueField(i, queries int) string {
	if queries == 1 {
		return "Value"
	}
	return "Value #" + refID(i)
}

func transformation(id string, options map[string]any) dashboard.DataTransformerConfig {
	return dashboard.DataTransformerConfig{Id: id, Options: options}
}
