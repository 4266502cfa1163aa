package main

import (
	"fmt"
	"strconv"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/table"
)

// mostRows bounds a table, for the sake of the browser.
const mostRows = 200

// column is one column of a table. A column with an expression shows its
// values; one without shows a label.
type column struct {
	title  string
	expr   string
	label  string
	hidden bool // only sorted by
	look   []dashboard.DynamicConfigValue
}

// listing is a table of which each row has its own value of key. Its first
// column with an expression decides which rows there are to begin with, and
// orders them, highest first.
func listing(c card, key string, columns ...column) *table.PanelBuilder {
	panel := table.NewPanelBuilder().Title(c.title).Description(c.about).NoValue(c.empty).Unit(c.unit).
		Span(c.width).Height(graphRows).Datasource(dataSource()).
		Thresholds(scale()).ColorScheme(dashboard.NewFieldColorBuilder().Mode(dashboard.FieldColorModeIdThresholds)).
		ShowHeader(true).CellHeight(common.TableCellHeightSm).
		Footer(common.NewTableFooterOptionsBuilder().Show(false).EnablePagination(true).Reducer([]string{}))
	var queries []query
	names, order, out := map[string]string{}, map[string]int{}, map[string]bool{"Time": true}
	var first string
	for i, col := range columns {
		field := col.label
		if col.expr != "" {
			queries = append(queries, query{expr: col.expr})
			field = "Value #" + refID(len(queries)-1)
			out["Time "+strconv.Itoa(len(queries))] = true
		}
		if first == "" && col.expr != "" {
			first = field
		}
		names[field], order[field] = col.title, i
		if col.hidden {
			out[field] = true
		}
		if len(col.look) > 0 {
			panel.OverrideByName(col.title, col.look)
		}
	}
	if len(queries) == 1 { // a single query is no series #A
		field := "Value"
		names[field], order[field] = names[first], order[first]
		delete(names, first)
		delete(order, first)
		first = field
	}
	panel.Targets(rows(queries...))
	if len(queries) > 1 {
		panel.WithTransformation(transformation("joinByField", map[string]any{"byField": key, "mode": "outer"}))
	}
	return panel.
		WithTransformation(transformation("sortBy", map[string]any{"fields": map[string]any{}, "sort": []map[string]any{{"field": first, "desc": true}}})).
		WithTransformation(transformation("limit", map[string]any{"limitField": fmt.Sprint(mostRows)})).
		WithTransformation(transformation("organize", map[string]any{
			"excludeByName": out, "indexByName": order, "renameByName": names, "includeByName": map[string]any{},
		}))
}

func transformation(id string, options map[string]any) dashboard.DataTransformerConfig {
	return dashboard.DataTransformerConfig{Id: id, Options: options}
}
