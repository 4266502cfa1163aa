package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

const committed = "../../deploy/grafana/timeout-auditor.json"

func TestDashboardInDeployIsTheGeneratedOne(t *testing.T) {
	want, err := render()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the generator writes, run make generate", committed)
	}
}

// Grafana's own schema knows every field.
func TestDashboardIsOneByTheSchema(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	text, err := render()
	if err != nil {
		t.Fatal(err)
	}
	var board model1
	if err := board.UnmarshalJSONStrict(text); said(err) != "" { // the SDK returns an empty list as an error
		t.Error(err)
	}
	if len(board.Panels) < 30 {
		t.Errorf("the schema reads %d panels", len(board.Panels))
	}
}

func TestCheckFindsWhatAPanelLacks(t *testing.T) {
	whole := func() dashboard.Panel {
		panel, err := number(card{title: "A", about: "What it is.", empty: "unknown", unit: inSeconds, width: 4}).
			Targets(now(query{"up", "up"})).Build()
		if err != nil {
			t.Fatal(err)
		}
		return panel
	}
	for name, c := range map[string]struct {
		spoil func(*dashboard.Panel)
		want  string
	}{
		"nothing":           {func(*dashboard.Panel) {}, ""},
		"no title":          {func(p *dashboard.Panel) { p.Title = nil }, `panel "": no title`},
		"no description":    {func(p *dashboard.Panel) { p.Description = nil }, `panel "A": no description`},
		"no query":          {func(p *dashboard.Panel) { p.Targets = nil }, `panel "A": no query`},
		"no unit":           {func(p *dashboard.Panel) { p.FieldConfig.Defaults.Unit = new("") }, `panel "A": no unit`},
		"no word for empty": {func(p *dashboard.Panel) { p.FieldConfig.Defaults.NoValue = nil }, `panel "A": no words for a missing value`},
		"no field options":  {func(p *dashboard.Panel) { p.FieldConfig = nil }, `panel "A": no field options`},
		"empty is green": {func(p *dashboard.Panel) { p.FieldConfig.Defaults.Thresholds.Steps[0].Color = good },
			`panel "A": the first step of its scale, which paints a missing value, is not plain`},
	} {
		t.Run(name, func(t *testing.T) {
			panel := whole()
			c.spoil(&panel)
			err := check(model1{Panels: []dashboard.PanelOrRowPanel{{Panel: &panel}}})
			if got := said(err); got != c.want {
				t.Errorf("check says %q, want %q", got, c.want)
			}
		})
	}
	twin := whole()
	err := check(model1{Panels: []dashboard.PanelOrRowPanel{{Panel: &twin}, {Panel: &twin}}})
	if got := said(err); got != `panel "A": another has this title` {
		t.Errorf("check says %q of twins", got)
	}
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "board.json")
	for name, c := range map[string]struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		"standard output": {nil, 0, `"uid": "timeout-auditor"`, ""},
		"a file":          {[]string{"-output", file}, 0, "", ""},
		"no such place":   {[]string{"-output", filepath.Join(file, "x")}, 1, "", "board.json"},
		"help":            {[]string{"-help"}, 0, "", "file to write"},
		"unknown flag":    {[]string{"-out", "x"}, 2, "", "-out"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(c.args, &stdout, &stderr); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) || c.stdout == "" && stdout.Len() > 0 {
				t.Errorf("printed %.200q and %q, want %q and %q in it", stdout.String(), stderr.String(), c.stdout, c.stderr)
			}
		})
	}
}
