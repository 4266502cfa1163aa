package helm_test

import (
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

func TestLintFindsNothing(t *testing.T) {
	dependOn(t, chart)
	for name, args := range map[string][]string{
		"default values": nil,
		"full values":    {"--values=" + fullValues},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := servers.Helm(t.Context(), append([]string{"lint", "--strict", chart}, args...)...); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWrongValuesAreRefusedWithTheirPath(t *testing.T) {
	for name, c := range map[string]struct {
		values string
		want   string
	}{
		"a misspelt value":               {"replica: 2", "'replica' not allowed"},
		"a misspelt value inside":        {"web: {externalUrl: https://example.com}", "'externalUrl' not allowed"},
		"text for a number":              {"replicas: two", "at '/replicas': got string, want integer"},
		"an unknown way to reload":       {"reload: always", "at '/reload'"},
		"a half digest":                  {"image: {digest: sha256:12}", "at '/image/digest'"},
		"an external URL without a host": {"web: {externalURL: example.com}", "at '/web/externalURL'"},
		"TLS without its secret":         {"web: {tls: true}", "at '/web/configSecret'"},
		"authentication without one":     {"web: {authentication: true}", "at '/web/configSecret'"},
		"no dependencies":                {"config: {dependencies: []}", "at '/config/dependencies': minItems"},
		"no Prometheus":                  {"config: {prometheus: null}", "missing property 'prometheus'"},
		"a Prometheus without a scheme":  {"config: {prometheus: {url: prometheus:9090}}", "at '/config/prometheus/url'"},
		"a timeout without a unit":       {"config: {dependencies: [{name: x, policy: {timeout: 2}}]}", "at '/config/dependencies/0/policy/timeout': got number, want string"},
		"a dependency without a name":    {"config: {dependencies: [{caller: x}]}", "missing property 'name'"},
		"a bare off is false in YAML": {
			"config: {rules: {no-deadline: {severity: off}}}", "at '/config/rules/no-deadline/severity': got boolean, want string",
		},
		"a mount by subPath":    {"extraVolumeMounts: [{name: x, mountPath: /x, subPath: y}]", "at '/extraVolumeMounts/0'"},
		"a secret twice":        {"secrets: [a, a]", "at '/secrets'"},
		"a secret with a slash": {"secrets: [a/b]", "at '/secrets/0'"},
		"rules that are none":   {"prometheusOperator: {enabled: true}\nprometheusRule: {file: 'groups: none'}", "prometheusRule.file: must be the text of a Prometheus rule file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := template(t, "--values="+write(t, "values.yaml", c.values+"\n"))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
