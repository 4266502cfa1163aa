package recording_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules/recording"
	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

var update = flag.Bool("update", false, "write the golden files anew")

const page = "../../docs/recording-rules.md"

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGeneratedRulesAreTheGoldenOnes(t *testing.T) {
	const golden = "testdata/example.rules.yaml"
	cfg, err := config.Load("testdata/example.yaml", config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	options := recording.Options{Runbooks: "https://example.com/", HoldFor: time.Hour}
	if err := recording.Generate(&out, cfg, options); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("run with -update if this is right:\n%s", diff)
	}
}

// everyKind is dependencies with all that makes rules differ.
func everyKind(t *testing.T) *config.Config {
	t.Helper()
	cfg := &config.Config{Templates: meshFile(t).Templates, Dependencies: append(policies(), measuredDependencies()...)}
	hostile := "pay\"ments\\{}\n} or vector(1) # é🙂"
	for _, name := range []string{"http.client.duration", "sum", "by", "Inf", "on", "__odd__", "é", "a:b"} {
		dep := measured(name, "auto", 1)
		dep.Name = hostile + name
		dep.Latency.Matchers = []*labels.Matcher{
			labels.MustNewMatcher(labels.MatchEqual, "server.address", hostile),
			labels.MustNewMatcher(labels.MatchNotRegexp, "job", "a|b"),
		}
		cfg.Dependencies = append(cfg.Dependencies, dep)
	}
	return cfg
}

func TestEveryExpressionParsesAndReadsOnlyItsDependency(t *testing.T) {
	p := parser.NewParser(parser.Options{}) // without functions that need a flag
	for _, group := range recording.Groups(everyKind(t), recording.Options{}) {
		for _, rule := range group.Rules {
			expr, err := p.ParseExpr(rule.Expr)
			if err != nil {
				t.Fatalf("%s in %s: %v\n%s", rule.Record, group.Name, err, rule.Expr)
			}
			if rule.Record == "" {
				continue
			}
			parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
				selector, ok := node.(*parser.VectorSelector)
				if !ok || !strings.HasPrefix(selector.Name, "dependency") {
					return nil
				}
				for _, m := range selector.LabelMatchers {
					if m.Value != "" && (m.Name == "dependency" || m.Name == "entry") && m.Value == rule.Labels[m.Name] {
						return nil
					}
				}
				t.Errorf("%s reads %s", group.Name, selector)
				return nil
			})
		}
	}
}

func TestGroupsKeepWithinMimirsLimitAndReadOnlyThemselves(t *testing.T) {
	names := map[string]bool{}
	for _, group := range recording.Groups(everyKind(t), recording.Options{}) {
		if len(group.Rules) == 0 || len(group.Rules) > 20 {
			t.Errorf("%s has %d rules, want 1 to 20", group.Name, len(group.Rules))
		}
		if names[group.Name] {
			t.Errorf("two groups are called %s", group.Name)
		}
		names[group.Name] = true
		if strings.HasPrefix(group.Name, "timeout-auditor-declared-") {
			continue // for_each: constants for what another group has counted
		}
		before := map[string]bool{}
		for _, rule := range group.Rules {
			for _, desc := range recording.Table() {
				if rule.Record != "" && strings.Contains(rule.Expr, desc.Name+"{") && !before[desc.Name] {
					t.Errorf("%s: %s reads %s, which is not recorded before it", group.Name, rule.Record, desc.Name)
				}
			}
			before[rule.Record] = true
		}
	}
}

func TestEverySeriesIsInTheTableAndOnThePage(t *testing.T) {
	text := readPage(t)
	known := map[string][]string{}
	for _, desc := range recording.Table() {
		known[desc.Name] = desc.Labels
		row := fmt.Sprintf("| `%s` | %s |", desc.Name, desc.Help)
		if len(desc.Labels) > 0 {
			row = fmt.Sprintf("| `%s` | %s Label `%s`. |", desc.Name, desc.Help, strings.Join(desc.Labels, "`, `"))
		}
		if !strings.Contains(text, row) {
			t.Errorf("%s lacks the row\n%s", page, row)
		}
	}
	recorded := map[string]bool{}
	for _, group := range recording.Groups(everyKind(t), recording.Options{}) {
		for _, rule := range group.Rules {
			if rule.Record == "" {
				continue
			}
			if _, ok := known[rule.Record]; !ok {
				t.Errorf("%s is not in the table", rule.Record)
			}
			recorded[rule.Record] = true
		}
	}
	for name := range known {
		if !recorded[name] {
			t.Errorf("%s is in the table and never recorded", name)
		}
	}
}

func TestReasonsAreOnThePage(t *testing.T) {
	text := readPage(t)
	for _, reason := range recording.Reasons() {
		if !strings.Contains(text, "| `"+reason+"` |") {
			t.Errorf("%s does not explain the reason %s", page, reason)
		}
	}
}

func TestOverridesOfTheConfigurationReachTheAlerts(t *testing.T) {
	wait := 42 * time.Minute
	cfg := &config.Config{Rules: map[string]config.Rule{
		"timeout-below-p99": {Severity: "warning", For: &wait},
		"verdict-unknown":   {Severity: "off"},
	}}
	groups := recording.Groups(cfg, recording.Options{})
	if len(groups) != 1 || len(groups[0].Rules) != 1 {
		t.Fatalf("got %+v, want one alert", groups)
	}
	alert := groups[0].Rules[0]
	if alert.Alert != "TimeoutBelowP99" || time.Duration(alert.For) != wait || alert.Labels["severity"] != "warning" {
		t.Errorf("got %+v", alert)
	}
}

func TestLabelsThatAreNotSetAreNotWritten(t *testing.T) {
	dep := measured("x_seconds", "auto", 1)
	dep.Owner = ""
	for _, rule := range recording.Groups(&config.Config{Dependencies: []config.Dependency{dep}}, recording.Options{})[1].Rules {
		if _, there := rule.Labels["owner"]; there {
			t.Errorf("%s has an empty owner", rule.Record)
		}
	}
}

func TestGenerateRefusesAnUnknownFormat(t *testing.T) {
	var out strings.Builder
	if err := recording.Generate(&out, everyKind(t), recording.Options{Format: rulefile.Format("json")}); err == nil || out.Len() > 0 {
		t.Errorf("error %v, wrote %d bytes", err, out.Len())
	}
}
