package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// Units of Grafana. A ratio is 0 to 1.
const (
	inSeconds   = "s"
	inPercent   = "percentunit"
	asNumber    = "short"
	asMultiple  = "suffix:×" // so many times as long, or attempts per call
	perSecond   = "cps"
	perMinute   = "cpm"
	perDay      = "suffix:/day"
	asIs        = "none" // a rank that a mapping turns into a word
	numberRows  = 4      // heights in rows of the grid
	graphRows   = 9
	wholeWidth  = 24
	halfWidth   = 12
	thirdWidth  = 8
	eighthWidth = 3
)

// card is what every panel has.
type card struct {
	title string
	about string // what it shows and how to read it
	empty string // what stands where there is nothing: why that may be
	unit  string
	width uint32
}

// number is a figure as of now.
func number(c card) *stat.PanelBuilder {
	return stat.NewPanelBuilder().Title(c.title).Description(c.about).NoValue(c.empty).Unit(c.unit).
		Span(c.width).Height(numberRows).Datasource(dataSource()).
		Thresholds(scale()).ColorScheme(dashboard.NewFieldColorBuilder().Mode(dashboard.FieldColorModeIdThresholds)).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}).Fields("").Values(false)).
		GraphMode(common.BigValueGraphModeNone).ColorMode(common.BigValueColorModeValue).TextMode(common.BigValueTextModeValue).
		Orientation(common.VizOrientationAuto)
}

// numbers are several figures side by side, each with its name.
func numbers(c card) *stat.PanelBuilder {
	return number(c).TextMode(common.BigValueTextModeValueAndName)
}

// graph is lines over time. A gap stays a gap: nothing is known there.
func graph(c card) *timeseries.PanelBuilder {
	return timeseries.NewPanelBuilder().Title(c.title).Description(c.about).NoValue(c.empty).Unit(c.unit).
		Span(c.width).Height(graphRows).Datasource(dataSource()).
		Thresholds(scale()).ColorScheme(dashboard.NewFieldColorBuilder().Mode(dashboard.FieldColorModeIdPaletteClassic)).
		SpanNulls(common.BoolOrFloat64{Bool: new(false)}).ShowPoints(common.VisibilityModeAuto).LineWidth(1).FillOpacity(0).AxisSoftMin(0).
		Legend(common.NewVizLegendOptionsBuilder().ShowLegend(true).DisplayMode(common.LegendDisplayModeTable).
			Placement(common.LegendPlacementBottom).Calcs([]string{"lastNotNull", "max"})).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending))
}

// stacked is a graph whose lines add up.
func stacked(c card) *timeseries.PanelBuilder {
	return graph(c).Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal).Group("A")).FillOpacity(40)
}

// states is a state over time. A gap stays a gap.
func states(c card) *statetimeline.PanelBuilder {
	return statetimeline.NewPanelBuilder().Title(c.title).Description(c.about).NoValue(c.empty).Unit(c.unit).
		Span(c.width).Height(graphRows).Datasource(dataSource()).
		Thresholds(scale()).ColorScheme(dashboard.NewFieldColorBuilder().Mode(dashboard.FieldColorModeIdThresholds)).
		NeverSpanNulls().MergeValues(true).ShowValue(common.VisibilityModeAuto).FillOpacity(80).LineWidth(0).
		Legend(common.NewVizLegendOptionsBuilder().ShowLegend(true).DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom))
}
