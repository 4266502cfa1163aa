package main

import (
	"errors"
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// check returns everything that is wrong with the panels.
func check(board model1) error {
	var wrong []error
	titles := map[string]bool{}
	for _, p := range board.Panels {
		if p.Panel == nil {
			continue
		}
		title := told(p.Panel.Title)
		for _, err := range checkPanel(*p.Panel) {
			wrong = append(wrong, fmt.Errorf("panel %q: %w", title, err))
		}
		if titles[title] {
			wrong = append(wrong, fmt.Errorf("panel %q: another has this title", title))
		}
		titles[title] = true
	}
	return errors.Join(wrong...)
}

func checkPanel(p dashboard.Panel) []error {
	var wrong []error
	for what, missing := range map[string]bool{
		"no title":       told(p.Title) == "",
		"no description": told(p.Description) == "",
		"no query":       len(p.Targets) == 0,
	} {
		if missing {
			wrong = append(wrong, errors.New(what))
		}
	}
	if p.FieldConfig == nil {
		return append(wrong, errors.New("no field options"))
	}
	fields := p.FieldConfig.Defaults
	if told(fields.Unit) == "" {
		wrong = append(wrong, errors.New("no unit"))
	}
	if told(fields.NoValue) == "" {
		wrong = append(wrong, errors.New("no words for a missing value"))
	}
	if fields.Thresholds == nil || len(fields.Thresholds.Steps) == 0 || fields.Thresholds.Steps[0].Color != plain {
		wrong = append(wrong, errors.New("the first step of its scale, which paints a missing value, is not plain"))
	}
	return wrong
}

// told returns a text that may be missing.
func told(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
