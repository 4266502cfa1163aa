package main

import (
	"strconv"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// Colours, by name in Grafana's palette, so that light and dark themes both
// choose. Unknown has colours that neither good nor bad ever has.
const (
	good    = "green"
	warn    = "orange"
	bad     = "red"
	hint    = "blue"
	unsure  = "yellow"
	unknown = "purple"
	plain   = "text"
)

// step is a colour from a value on.
type step struct {
	from   float64
	colour string
}

// scale starts without a colour: Grafana paints a missing value in the colour
// of the first step, and missing is not good.
func scale(steps ...step) *dashboard.ThresholdsConfigBuilder {
	all := []dashboard.Threshold{{Color: plain}}
	for _, s := range steps {
		all = append(all, dashboard.Threshold{Value: &s.from, Color: s.colour})
	}
	return dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).Steps(all)
}

// cutOff colours a share of attempts, docs/model.md §1: amber from 0.5%, red
// from 2%.
func cutOff() *dashboard.ThresholdsConfigBuilder {
	return scale(step{0, good}, step{0.005, warn}, step{0.02, bad})
}

// amplification colours attempts per call, from the threshold of the rule
// amplification-high.
func amplification() *dashboard.ThresholdsConfigBuilder {
	return scale(step{1, good}, step{1.2, warn}, step{2, bad})
}

// meaning is what a number stands for.
type meaning struct {
	text, colour string
}

// meanings maps 0, 1, 2 and so on, and a missing value.
func meanings(first int, missing string, all ...meaning) []dashboard.ValueMapping {
	options := map[string]dashboard.ValueMappingResult{}
	for i, m := range all {
		index := int32(i)
		options[strconv.Itoa(first+i)] = dashboard.ValueMappingResult{Text: &m.text, Color: &m.colour, Index: &index}
	}
	colour, last := plain, int32(len(all))
	return []dashboard.ValueMapping{
		{ValueMap: &dashboard.ValueMap{Type: dashboard.MappingTypeValueToText, Options: options}},
		{SpecialValueMap: &dashboard.SpecialValueMap{
			Type: dashboard.MappingTypeSpecialValue,
			Options: dashboard.DashboardSpecialValueMapOptions{
				Match:  dashboard.SpecialValueMatchNullAndNan,
				Result: dashboard.ValueMappingResult{Text: &missing, Color: &colour, Index: &last},
			},
		}},
	}
}

// unheard is the word for a dependency of which no report is fresh.
const unheard = "not reported"

// statusMeanings are those of statusRank.
func statusMeanings() []dashboard.ValueMapping {
	var all []meaning
	for i, status := range statuses() {
		all = append(all, meaning{status, statusColours()[i]})
	}
	return meanings(0, unheard, append(all, meaning{unheard, plain})...)
}

// statusColours are in the order of statuses.
func statusColours() []string {
	return []string{good, unsure, "light-purple", unknown, "dark-purple"}
}

// severityMeanings are those of severityRank. None has no colour, since a
// dependency that is unknown has none either.
func severityMeanings() []dashboard.ValueMapping {
	all := []meaning{{"none", plain}}
	for i, severity := range severities() {
		all = append(all, meaning{severity, severityColours()[i]})
	}
	return meanings(0, "unknown", all...)
}

// severityColours are in the order of severities.
func severityColours() []string { return []string{hint, warn, bad} }

// Properties of overrides, for one column or one line.

func property(id string, value any) dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: id, Value: value}
}

func inUnit(unit string) dashboard.DynamicConfigValue { return property("unit", unit) }

func mapped(mappings []dashboard.ValueMapping) dashboard.DynamicConfigValue {
	return property("mappings", mappings)
}

func coloured(colour string) dashboard.DynamicConfigValue {
	return property("color", map[string]any{"mode": "fixed", "fixedColor": colour})
}

// scaled must be given a scale that builds, as all of this file's do.
func scaled(thresholds *dashboard.ThresholdsConfigBuilder) []dashboard.DynamicConfigValue {
	built, err := thresholds.Build()
	if err != nil {
		panic(err)
	}
	return []dashboard.DynamicConfigValue{
		property("thresholds", built),
		property("color", map[string]any{"mode": "thresholds"}),
	}
}

// byColour writes the cells of a column in the colours of their values.
func byColour() dashboard.DynamicConfigValue {
	return property("custom.cellOptions", map[string]any{"type": "color-text"})
}

func wide(pixels int) dashboard.DynamicConfigValue { return property("custom.width", pixels) }

func dashed() dashboard.DynamicConfigValue {
	return property("custom.lineStyle", common.LineStyle{Fill: new(common.LineStyleFillDash), Dash: []float64{8, 6}})
}

func stepped() dashboard.DynamicConfigValue {
	return property("custom.lineInterpolation", common.LineInterpolationStepAfter)
}

func thick(pixels int) dashboard.DynamicConfigValue { return property("custom.lineWidth", pixels) }

func linked(links ...link) dashboard.DynamicConfigValue {
	return property("links", links)
}

// link leads from a cell or a line to where more is known.
type link struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	TargetBlank bool   `json:"targetBlank"`
}
