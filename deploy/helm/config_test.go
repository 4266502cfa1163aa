package helm_test

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

func TestConfigurationsOfTheChartAreValid(t *testing.T) {
	for name, args := range map[string][]string{
		"default values":  nil,
		"full values":     {"--values=" + fullValues},
		"plain manifests": {"--values=../../tools/chart/manifests-values.yaml"},
		"a whole file":    {"--set-file=configFile=../../config.example.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			text := render(t, args...).config(t)
			file := write(t, "config.yaml", text)
			if _, err := config.Load(file, config.Options{Rules: rules.Codes()}); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

func TestConfigurationReachesThePodAsItIs(t *testing.T) {
	const dependencies = `
dependencies:
  - name: "{{caller}}-{{callee}}"
    for_each: [caller, callee]
    max_dependencies: 5000000
    target_false_timeout_ratio: 0.000001
    observed: {calls: 'sum(rate(x_total{a="{{ .Values.image }}"}[$window]))'}
    latency: {quantiles: {"0.5": a, "0.99": b}}
rules: {no-deadline: {severity: "off"}}
`
	const prometheus = "prometheus: {url: http://prometheus:9090}\n"

	t.Run("keys", func(t *testing.T) {
		values := "config:\n  " + prometheus
		for _, line := range strings.SplitAfter(dependencies, "\n") {
			values += "  " + line
		}
		text := render(t, "--values="+write(t, "values.yaml", values)).config(t)
		var got, want any
		for from, into := range map[string]*any{text: &got, prometheus + dependencies: &want} {
			if err := yaml.Unmarshal([]byte(from), into); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})

	for name, text := range map[string]string{
		"a file with comments":    "# why\n" + prometheus + dependencies + "# the end\n",
		"a file that is indented": "  a: 1\n  b: {{ .Values }}\n",
		"a file of DOS":           "a: 1\r\nb: 2\r\n",
		"a file without an end":   "a: {{caller}}",
		"a file with empty lines": "\n\na: 1\n\n\nb: 2\n",
	} {
		t.Run(name, func(t *testing.T) {
			got := render(t, "--set-file=configFile="+write(t, "config.yaml", text)).config(t)
			if diff := cmp.Diff(text, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
