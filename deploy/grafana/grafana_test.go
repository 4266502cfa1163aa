package grafana_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/deploy/grafana"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

func TestEveryPanelSaysWhatItShowsInWhichUnitAndWhatAbsenceMeans(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range load(t).shown() {
		for what, missing := range map[string]bool{
			"title":            p.Title == "",
			"description":      p.Description == "",
			"unit":             p.FieldConfig.Defaults.Unit == "",
			"noValue":          p.FieldConfig.Defaults.NoValue == "",
			"query":            len(p.Targets) == 0,
			"title of its own": seen[p.Title],
		} {
			if missing {
				t.Errorf("panel %d, %q, has no %s", p.ID, p.Title, what)
			}
		}
		seen[p.Title] = true
	}
}

// Without words of its own a cell would repeat what the whole table says when
// it is empty.
func TestEveryColumnSaysWhatAnEmptyCellMeans(t *testing.T) {
	columns := 0
	for _, p := range load(t).shown() {
		said := map[string]bool{}
		for _, override := range p.FieldConfig.Overrides {
			for _, property := range override.Properties {
				said[override.Matcher.Options] = said[override.Matcher.Options] || property.ID == "noValue" && len(property.Value) > 2
			}
		}
		for _, transformed := range p.Transformations {
			for _, column := range transformed.Options.RenameByName {
				columns++
				if !said[column] {
					t.Errorf("%q: column %q has no words for an empty cell", p.Title, column)
				}
			}
		}
	}
	if columns < 30 {
		t.Errorf("found only %d columns", columns)
	}
}

func TestPanelsDoNotOverlap(t *testing.T) {
	taken := map[[2]int]string{}
	for _, p := range load(t).Panels {
		for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				if other, ok := taken[[2]int{x, y}]; ok {
					t.Fatalf("%q lies on %q", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%q reaches beyond the 24 columns", p.Title)
		}
	}
}

// selectors parses a query with its variables filled in.
func selectors(t *testing.T, about, expr string, values chosen) []*parser.VectorSelector {
	t.Helper()
	filled := values.fill(expr)
	if strings.Contains(filled, "$") {
		t.Errorf("%s has a variable without a value: %s", about, filled)
	}
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(filled)
	if err != nil {
		t.Errorf("%s: %v: %s", about, err, filled)
		return nil
	}
	var found []*parser.VectorSelector
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			found = append(found, selector)
		}
		return nil
	})
	return found
}

// row is the table's row of a series: a histogram's have a suffix.
func row(name string) (metric.Desc, bool) {
	for _, desc := range metric.Table() {
		if name == desc.Name || desc.Kind == metric.Histogram && name == desc.Name+"_bucket" {
			return desc, true
		}
	}
	return metric.Desc{}, false
}

func TestQueriesAskForMetricsOfTheTableByLabelsTheyHave(t *testing.T) {
	b := load(t)
	values := b.everything("a")
	check := func(about, expr string) {
		for _, selector := range selectors(t, about, expr, values) {
			desc, known := row(selector.Name)
			if !known {
				t.Errorf("%s asks for %s, which is not exported", about, selector.Name)
			}
			for _, matcher := range selector.LabelMatchers {
				if !slices.Contains(append(desc.Labels, "__name__", "job"), matcher.Name) {
					t.Errorf("%s: %s has no label %s", about, selector.Name, matcher.Name)
				}
			}
		}
	}
	for _, q := range b.questions() {
		check(q.String(), q.target.Expr)
	}
	for _, a := range b.Annotations.List {
		check("annotation "+a.Name, a.Expr)
	}
}

func TestEveryFigureOfDependenciesAndChainsHasAPanel(t *testing.T) {
	b := load(t)
	asked := map[string]bool{}
	for _, q := range b.questions() {
		for _, selector := range selectors(t, q.String(), q.target.Expr, b.everything("a")) {
			asked[selector.Name] = true
		}
	}
	for _, desc := range append(metric.PerDependency(), metric.PerChain()...) {
		if !asked[desc.Name] {
			t.Errorf("no panel shows %s", desc.Name)
		}
	}
}

// The unit follows from the metric's name, where a query only picks a metric.
func TestUnitsAreThoseOfTheMetrics(t *testing.T) {
	b := load(t)
	plain := regexp.MustCompile(`^max by \([a-z, ]+\) \((\w+)\{[^{}]*\}\)$`)
	found := 0
	for _, q := range b.questions() {
		picked := plain.FindStringSubmatch(q.target.Expr)
		if picked == nil {
			continue
		}
		found++
		var want []string
		switch name := picked[1]; {
		case strings.HasSuffix(name, "_seconds"):
			want = []string{"s"}
		case strings.HasSuffix(name, "_per_second"):
			want = []string{"cps"}
		case strings.HasSuffix(name, "_ratio"):
			want = []string{"percentunit", "suffix:×"}
		case strings.Contains(name, "_false_timeout_ratio_"):
			want = []string{"percentunit"}
		default:
			want = []string{"short"}
		}
		if !slices.Contains(want, q.unit()) {
			t.Errorf("%s shows %s in %q, want one of %q", q, picked[1], q.unit(), want)
		}
	}
	if found < 30 {
		t.Errorf("only %d queries pick a metric: does the pattern still match?", found)
	}
}

// Grafana paints a missing value in the colour of the first step.
func TestWhatIsNotKnownIsNeverGreen(t *testing.T) {
	scales, mappings := 0, 0
	scale := func(title string, s thresholds) {
		scales++
		if len(s.Steps) == 0 || s.Steps[0].Value != nil || s.Steps[0].Color != "text" {
			t.Errorf("%s: a missing value is not plain: %+v", title, s)
		}
	}
	words := func(title string, m mapping) {
		mappings++
		for word, colour := range meanings(t, m) {
			if strings.Contains(colour, "green") && word != "ok" && word != "loaded" {
				t.Errorf("%s: %q is %s", title, word, colour)
			}
		}
	}
	for _, p := range load(t).shown() {
		scale(p.Title, p.FieldConfig.Defaults.Thresholds)
		for _, m := range p.FieldConfig.Defaults.Mappings {
			words(p.Title, m)
		}
		for _, override := range p.FieldConfig.Overrides {
			for _, property := range override.Properties {
				switch property.ID {
				case "thresholds":
					scale(p.Title, decode[thresholds](t, property.Value))
				case "mappings":
					for _, m := range decode[[]mapping](t, property.Value) {
						words(p.Title, m)
					}
				}
			}
		}
	}
	if scales < 30 || mappings < 6 {
		t.Errorf("found only %d scales and %d mappings", scales, mappings)
	}
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// meanings returns the colour of every word that a mapping can show.
func meanings(t *testing.T, m mapping) map[string]string {
	t.Helper()
	type result struct{ Text, Color string }
	if m.Type == "special" {
		special := decode[struct{ Result result }](t, m.Options)
		return map[string]string{special.Result.Text: special.Result.Color}
	}
	words := map[string]string{}
	for _, r := range decode[map[string]result](t, m.Options) {
		words[r.Text] = r.Color
	}
	return words
}

// The generator spells statuses and severities itself, to be free of the
// product's modules. Here they are held to the product's.
func TestStatusesAndSeveritiesAreTheProducts(t *testing.T) {
	b := load(t)
	matched := map[string][]string{}
	for _, q := range b.questions() {
		for _, selector := range selectors(t, q.String(), q.target.Expr, b.everything("a")) {
			for _, matcher := range selector.LabelMatchers {
				if !slices.Contains(matched[matcher.Name], matcher.Value) {
					matched[matcher.Name] = append(matched[matcher.Name], matcher.Value)
				}
			}
		}
	}
	var want []string
	for _, status := range latency.Statuses() {
		want = append(want, string(status))
	}
	slices.Sort(want)
	slices.Sort(matched["status"])
	if diff := cmp.Diff(want, matched["status"]); diff != "" {
		t.Errorf("statuses (-product +dashboard):\n%s", diff)
	}
	slices.Sort(matched["severity"])
	if diff := cmp.Diff([]string{string(rules.Critical), string(rules.Info), string(rules.Warning)}, matched["severity"]); diff != "" {
		t.Errorf("severities (-product +dashboard):\n%s", diff)
	}
}

func TestVariablesAreDefinedAndUsed(t *testing.T) {
	b := load(t)
	_, body, _ := strings.Cut(b.text, `"panels"`)
	builtIn := []string{"__value", "__url_time_range", "__interval", "__rate_interval"}
	used := map[string]bool{}
	for _, found := range regexp.MustCompile(`\$\{?(\w+)`).FindAllStringSubmatch(body, -1) {
		if found[1] != "__all" { // the value All, not a variable
			used[found[1]] = true
		}
	}
	defined := map[string]bool{}
	for _, v := range b.Templating.List {
		defined[v.Name] = true
		if !used[v.Name] {
			t.Errorf("nothing uses $%s", v.Name)
		}
	}
	for name := range used {
		if !defined[name] && !slices.Contains(builtIn, name) {
			t.Errorf("$%s is used and not defined", name)
		}
	}
}

func TestURLsThatNoLinkCanStartWithAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		options grafana.Options
		want    string
	}{
		"no scheme":        {grafana.Options{AuditorURL: "timeouts.example"}, `the auditor's URL: must be an http or https URL with a host, got "timeouts.example"`},
		"a script":         {grafana.Options{AuditorURL: "javascript:alert(1)"}, `the auditor's URL: must be an http or https URL with a host, got "javascript:alert(1)"`},
		"a path":           {grafana.Options{RunbookURL: "/runbooks/"}, `the URL of runbooks: must be an http or https URL with a host, got "/runbooks/"`},
		"no host":          {grafana.Options{RunbookURL: "https://"}, `the URL of runbooks: must be an http or https URL with a host, got "https://"`},
		"not a URL at all": {grafana.Options{AuditorURL: "http://a b"}, `the auditor's URL: must be an http or https URL with a host, got "http://a b"`},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := grafana.Dashboard(c.options)
			if err == nil || err.Error() != c.want || text != "" {
				t.Errorf("error %v, want %s; %d bytes", err, c.want, len(text))
			}
		})
	}
}

func TestURLsWithQuotesStayInsideTheirText(t *testing.T) {
	text, err := grafana.Dashboard(grafana.Options{AuditorURL: `https://a.example/"<x>&`, RunbookURL: `https://b.example/\`})
	if err != nil {
		t.Fatal(err)
	}
	var b struct {
		Templating struct {
			List []struct {
				Name    string
				Current struct{ Value any }
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, v := range b.Templating.List {
		got[v.Name] = v.Current.Value
	}
	if got["auditor_url"] != `https://a.example/"<x>&` || got["runbook_url"] != `https://b.example/\/` {
		t.Errorf("the URLs became %v and %v", got["auditor_url"], got["runbook_url"])
	}
}

func TestPageOfTheDashboardNamesEveryRowAndColumn(t *testing.T) {
	text, err := os.ReadFile("../../docs/dashboard.md")
	if err != nil {
		t.Fatal(err)
	}
	// The sketches break titles over lines, so words are looked for one by one.
	words := regexp.MustCompile(`[A-Za-z0-9$÷]+`)
	onPage := words.FindAllString(string(text), -1)
	for _, p := range load(t).Panels {
		title, _, _ := strings.Cut(p.Title, ": $") // a row is about what is chosen
		for _, word := range words.FindAllString(title, -1) {
			if !slices.Contains(onPage, word) {
				t.Errorf("docs/dashboard.md does not name %q: the word %q is missing", p.Title, word)
			}
		}
	}
}
