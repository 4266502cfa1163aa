package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/promql/parser"
)

func template(t *testing.T, entry string) Template {
	t.Helper()
	c := mustParse(t, "prometheus: {url: http://p:9090}\ndependencies:\n  - {latency: {histogram: h_seconds, selector: '{job=\"$caller\", zone=\"eu\"}'}, for_each: [caller, callee], "+entry+"}\n")
	return c.Templates[0]
}

func TestTemplateBecomesADependencyOfItsValues(t *testing.T) {
	tmpl := template(t, `name: "{{caller}} to {{callee}}", caller: "{{ caller }}", owner: "team {{callee}}", policy: {timeout: 1s, connect_timeout: 1s}, connect: {histogram: c_seconds},
    overrides: [{match: {callee: "search.*", caller: web}, policy: {timeout: 300ms}}, {match: {callee: "pay"}, owner: payers}]`)
	d := tmpl.Expand(map[string]string{"caller": "web", "callee": "search-index"})
	if d.Name != "web to search-index" || d.Caller != "web" || d.Owner != "team search-index" || d.Policy.Timeout.String() != "300ms" {
		t.Errorf("%q from %q of %q with %v", d.Name, d.Caller, d.Owner, d.Policy.Timeout)
	}
	if got, want := fmt.Sprint(d.Latency.Matchers), `[job="web" zone="eu" caller="web" callee="search-index"]`; got != want {
		t.Errorf("matchers %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(d.Connect.Matchers), `[caller="web" callee="search-index"]`; got != want {
		t.Errorf("connect matchers %s, want %s", got, want)
	}
	if d.Entry != "{{caller}} to {{callee}}" || d.Series["callee"] != "search-index" {
		t.Errorf("made from %q by %v", d.Entry, d.Series)
	}
	if d := tmpl.Expand(map[string]string{"caller": "web", "callee": "pay"}); d.Owner != "payers" || d.Policy.Timeout.String() != "1s" {
		t.Errorf("%q of %q with %v", d.Name, d.Owner, d.Policy.Timeout)
	}
	if d := tmpl.Expand(map[string]string{"caller": "shop", "callee": "prepay"}); d.Owner != "team prepay" {
		t.Errorf("pay matched prepay: matchers are anchored")
	}
	if got, want := fmt.Sprint(tmpl.Discovery().Matchers), `[zone="eu"]`; got != want {
		t.Errorf("series are looked for by %s, want %s", got, want)
	}
}

// A value from outside must stay a value: it ends no string, matches only
// itself, and is no variable.
func TestValuesCannotLeaveTheirPlaceInPromQL(t *testing.T) {
	tmpl := template(t, `name: "{{caller}}{{callee}}", error_ratio: 'sum(rate(e_total{a="$callee", b=~"$callee|x", c!="$callee$caller"}[$window])) or label_replace(vector(0), "l", "$callee", "", "")'`)
	for _, value := range []string{`"} or up{a="`, `\`, `a.*|b`, "new\nline", "$caller", "$window", "", "日本", `'`, "`", `\"`, "}}{{"} {
		d := tmpl.Expand(map[string]string{"caller": "C", "callee": value})
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(d.ErrorRatio.Query)
		if err != nil {
			t.Errorf("%q: %v in %s", value, err, d.ErrorRatio.Query)
			continue
		}
		var selectors []*parser.VectorSelector
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if s, ok := node.(*parser.VectorSelector); ok {
				selectors = append(selectors, s)
			}
			return nil
		})
		if len(selectors) != 1 || len(selectors[0].LabelMatchers) != 4 {
			t.Errorf("%q makes another query: %s", value, d.ErrorRatio.Query)
			continue
		}
		for _, m := range selectors[0].LabelMatchers {
			switch m.Name {
			case "a":
				if m.Value != value {
					t.Errorf("%q became %q", value, m.Value)
				}
			case "b":
				if !m.Matches(value) || m.Matches(value+"y") || m.Matches("ab") {
					t.Errorf("%q became the expression %q", value, m.Value)
				}
			case "c":
				if m.Value != value+"C" {
					t.Errorf("%q became %q", value+"C", m.Value)
				}
			}
		}
		if strings.Contains(d.ErrorRatio.Query, "[$window]") {
			t.Errorf("no window in %s", d.ErrorRatio.Query)
		}
	}
}

func TestNamesAreUniqueWhateverTheValues(t *testing.T) {
	tmpl := template(t, `name: "{{caller}}-{{callee}}", max_dependencies: 4`)
	series := func(caller, callee string) map[string]string {
		return map[string]string{"caller": caller, "callee": callee}
	}
	found := []Found{{tmpl, []map[string]string{series("x", "y"), series("a-b", "c"), series("a", "b-c"), series("fix", "ed"), series("z", "z")}}}
	if n := found[0].Dropped(); n != 1 {
		t.Errorf("%d left out, want 1", n)
	}
	var names []string
	for _, d := range Expand([]Dependency{{Name: "fix-ed"}}, found) {
		names = append(names, d.Name)
	}
	want := []string{"fix-ed", `a-b-c{callee="b-c", caller="a"}`, `a-b-c{callee="c", caller="a-b"}`, `fix-ed{callee="ed", caller="fix"}`, "x-y"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("web", "payments")
	f.Add("a-b", `"} or up{`)
	f.Add("", "")
	f.Add("{{callee}}", "$caller")
	f.Fuzz(func(t *testing.T, caller, callee string) {
		if strings.ContainsRune(strings.ToValidUTF8(caller+callee, ""), '\uFFFD') {
			return // PromQL's own parser takes it for an error
		}
		tmpl := template(t, `name: "{{caller}}-{{callee}}", error_ratio: 'sum(rate(e_total{a="$callee", b=~"$caller.*"}[5m]))'`)
		both := []map[string]string{{"caller": caller, "callee": callee}, {"caller": callee, "callee": caller}, {"caller": caller + "-" + callee}}
		names := map[string]bool{}
		for _, d := range Expand(nil, []Found{{tmpl, both}}) {
			if d.Name == "" || names[d.Name] && caller != callee {
				t.Fatalf("name %q empty or twice", d.Name)
			}
			names[d.Name] = true
			if _, err := newParser().ParseExpr(d.ErrorRatio.Query); err != nil {
				t.Fatalf("%s: %v", d.ErrorRatio.Query, err)
			}
		}
	})
}
