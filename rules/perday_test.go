package rules_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/rules"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// perDayRules are the recording rules of the generated rule file, and nothing else.
func perDayRules(t *testing.T) []byte {
	t.Helper()
	var generated strings.Builder
	if err := rules.Generate(&generated, nil, rules.AlertOptions{Runbooks: runbooks, StaleAfter: 5 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	type group struct {
		Name  string           `yaml:"name"`
		Rules []map[string]any `yaml:"rules"`
	}
	var file struct {
		Groups []group `yaml:"groups"`
	}
	if err := yaml.Unmarshal([]byte(generated.String()), &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		if g.Name == "timeout-auditor-per-day" {
			if len(g.Rules) != len(metric.Recorded()) {
				t.Errorf("%d rules, want one for each of %d recorded metrics", len(g.Rules), len(metric.Recorded()))
			}
			out, err := yaml.Marshal(map[string]any{"groups": []group{g}})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
	}
	t.Fatal("there is no group of recording rules")
	return nil
}

// 4 attempts a second, 1.25 attempts per call: 3.2 calls a second, which are
// 276480 a day, and 345600 attempts.
func TestPerDayIsTheRatioTimesTheRateOfADay(t *testing.T) {
	const labels = `dependency="a", caller="b", callee="c", owner="o"`
	of := func(name, more, values string) series {
		return series{name + `{instance="one", ` + labels + more + `}`, values}
	}
	known := []series{
		of("timeout_auditor_predicted_false_timeout_ratio", "", "0.01x20"),
		of("timeout_auditor_predicted_fallback_ratio", `, cause="timeout"`, "0.002x20"),
		of("timeout_auditor_predicted_fallback_ratio", `, cause="error"`, "0.001x20"),
		of("timeout_auditor_attempts_per_second", "", "4x20"),
		of("timeout_auditor_predicted_amplification_ratio", "", "1.25x20"),
	}
	replica := make([]series, len(known))
	for i, s := range known {
		replica[i] = series{strings.Replace(s.Series, `"one"`, `"two"`, 1), s.Values}
	}
	falseTimeouts := func(want ...sample) exprTest {
		return exprTest{metric.RecordedFalseTimeouts, "10m", want}
	}
	fallbacks := func(want ...sample) exprTest { return exprTest{metric.RecordedFallbacks, "10m", want} }
	day := []exprTest{
		falseTimeouts(sample{metric.RecordedFalseTimeouts + `{` + labels + `}`, 3456}),
		fallbacks(
			sample{metric.RecordedFallbacks + `{` + labels + `, cause="timeout"}`, 552.96},
			sample{metric.RecordedFallbacks + `{` + labels + `, cause="error"}`, 276.48},
		),
	}
	tests := []unitTest{
		{Name: "one auditor", Step: "1m", Series: known, Exprs: day},
		{Name: "two replicas count once", Step: "1m", Series: append(known, replica...), Exprs: day},
		{Name: "no rate is no zero", Step: "1m", Series: known[:3], Exprs: []exprTest{falseTimeouts(), fallbacks()}},
		{Name: "no prediction is no zero", Step: "1m", Series: known[3:], Exprs: []exprTest{falseTimeouts(), fallbacks()}},
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "rules.yaml"), perDayRules(t))
	text, err := yaml.Marshal(unitTests{RuleFiles: []string{"rules.yaml"}, Interval: "1m", Tests: tests})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "test.yaml")
	write(t, file, text)
	if out, err := servers.Promtool(t.Context(), "test", "rules", file); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
