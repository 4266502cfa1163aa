package grafana_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/deploy/grafana"
)

// board is what the tests read of the dashboard.
type board struct {
	text        string
	Panels      []panel
	Templating  struct{ List []variable }
	Annotations struct {
		List []struct {
			Name string
			Expr string
		}
	}
}

type panel struct {
	ID              int
	Type            string
	Title           string
	Description     string
	GridPos         struct{ H, W, X, Y int }
	Targets         []target
	Transformations []struct {
		ID      string
		Options struct{ RenameByName map[string]string }
	}
	FieldConfig struct {
		Defaults  fields
		Overrides []struct {
			Matcher    struct{ ID, Options string }
			Properties []struct {
				ID    string
				Value json.RawMessage
			}
		}
	}
}

type target struct {
	RefID        string
	Expr         string
	LegendFormat string
	Instant      bool
	Range        bool
	Format       string
}

type fields struct {
	Unit       string
	NoValue    string
	Thresholds thresholds
	Mappings   []mapping
}

type thresholds struct {
	Steps []struct {
		Color string
		Value *float64
	}
}

type mapping struct {
	Type    string
	Options json.RawMessage
}

type variable struct {
	Name, Type string
	AllValue   string
	Definition string
}

func load(t *testing.T) board {
	t.Helper()
	text, err := grafana.Dashboard(grafana.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := board{text: text}
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Panels) < 30 || len(b.Templating.List) < 5 {
		t.Fatalf("read %d panels and %d variables, which can not be all", len(b.Panels), len(b.Templating.List))
	}
	return b
}

// shown returns the panels that are no headings.
func (b board) shown() []panel {
	return slices.DeleteFunc(slices.Clone(b.Panels), func(p panel) bool { return p.Type == "row" })
}

// chosen is what a viewer has chosen, and what Grafana fills in itself.
type chosen map[string]string

// everything chooses All, a dependency, and steps that suit a short past.
func (b board) everything(dependency string) chosen {
	values := chosen{"dependency": dependency, "__interval": "10s", "__rate_interval": "10s"}
	for _, v := range b.Templating.List {
		if v.AllValue != "" {
			values[v.Name] = v.AllValue
		}
	}
	return values
}

var reference = regexp.MustCompile(`\$\{?(\w+)\}?`)

// fill puts values in place of variables, as Grafana does for a Prometheus
// data source. A variable without a value stays.
func (c chosen) fill(text string) string {
	return reference.ReplaceAllStringFunc(text, func(found string) string {
		if value, ok := c[strings.Trim(found, "${}")]; ok {
			return value
		}
		return found
	})
}

// question is one query of one panel.
type question struct {
	panel  panel
	target target
}

func (q question) String() string {
	return fmt.Sprintf("panel %q, query %s", q.panel.Title, q.target.RefID)
}

func (b board) questions() []question {
	var all []question
	for _, p := range b.shown() {
		for _, asked := range p.Targets {
			all = append(all, question{p, asked})
		}
	}
	return all
}

// name is what the answers to a query are shown under.
func (q question) name() string {
	for _, transformed := range q.panel.Transformations {
		for _, field := range []string{"Value", "Value #" + q.target.RefID} {
			if renamed, ok := transformed.Options.RenameByName[field]; ok {
				return renamed
			}
		}
	}
	return q.target.LegendFormat
}

// unit is the one that the answers to a query are shown in: an override's for
// the name they are shown under, or the panel's.
func (q question) unit() string {
	for _, override := range q.panel.FieldConfig.Overrides {
		for _, property := range override.Properties {
			if override.Matcher.Options == q.name() && property.ID == "unit" {
				return strings.Trim(string(property.Value), `"`)
			}
		}
	}
	return q.panel.FieldConfig.Defaults.Unit
}
