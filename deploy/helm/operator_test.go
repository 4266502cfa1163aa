package helm_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/deploy/grafana"
)

func TestOperatorsResourcesAreMadeWhereTheyAreKnownOrAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		args          []string
		monitor, rule bool
	}{
		"not in the cluster":      {nil, false, false},
		"in the cluster":          {[]string{"--api-versions=monitoring.coreos.com/v1"}, true, true},
		"asked for":               {[]string{"--set=prometheusOperator.enabled=true"}, true, true},
		"in the cluster, refused": {[]string{"--api-versions=monitoring.coreos.com/v1", "--set=prometheusOperator.enabled=false"}, false, false},
		"scraped by other means":  {[]string{"--set=prometheusOperator.enabled=true,serviceMonitor.enabled=false"}, false, true},
		"rules by other means":    {[]string{"--set=prometheusOperator.enabled=true,prometheusRule.enabled=false"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			all := render(t, c.args...)
			if monitor, rule := all.has("ServiceMonitor"), all.has("PrometheusRule"); monitor != c.monitor || rule != c.rule {
				t.Errorf("ServiceMonitor %v, PrometheusRule %v, want %v, %v", monitor, rule, c.monitor, c.rule)
			}
		})
	}
}

func TestOperatorsSelectorsFindTheirLabels(t *testing.T) {
	all := render(t, "--values="+fullValues)
	for kind, tier := range map[string]string{"ServiceMonitor": "metrics", "PrometheusRule": "alerts"} {
		o := all.only(t, kind)
		if release, own := o.text("metadata", "labels", "release"), o.text("metadata", "labels", "tier"); release != "kube-prometheus-stack" || own != tier {
			t.Errorf("%s: labels release %q, tier %q", kind, release, own)
		}
	}
}

func TestRulesOfTheChartAreThoseOfTheTree(t *testing.T) {
	got := render(t, "--set=prometheusOperator.enabled=true").only(t, "PrometheusRule").at("spec", "groups")
	if diff := cmp.Diff(readYAML(t, rulesFile).at("groups"), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestOwnRulesReplaceThoseOfTheChart(t *testing.T) {
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	own := write(t, "rules.yaml", strings.Replace(string(text), "for: 5m", "for: 42m", 1))
	got := render(t, "--set=prometheusOperator.enabled=true", "--set-file=prometheusRule.file="+own).
		only(t, "PrometheusRule").at("spec", "groups")
	if diff := cmp.Diff(readYAML(t, own).at("groups"), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// The scrape must reach what the service offers.
func TestMonitorSelectsTheService(t *testing.T) {
	for name, args := range map[string][]string{
		"default values": {"--set=prometheusOperator.enabled=true"},
		"full values":    {"--values=" + fullValues},
	} {
		t.Run(name, func(t *testing.T) {
			all := render(t, args...)
			service, endpoint := all.only(t, "Service"), object{"of": all.only(t, "ServiceMonitor").at("spec", "endpoints", 0)}
			selector, _ := all.only(t, "ServiceMonitor").at("spec", "selector", "matchLabels").(map[string]any)
			if len(selector) == 0 {
				t.Fatal("the selector is empty")
			}
			for label, value := range selector {
				if got := service.text("metadata", "labels", label); got != value {
					t.Errorf("label %s of the service is %q, selected is %q", label, got, value)
				}
			}
			if port := endpoint.text("of", "port"); port != service.text("spec", "ports", 0, "name") {
				t.Errorf("port %q is not the service's", port)
			}
			if scheme := endpoint.text("of", "scheme"); scheme != service.text("spec", "ports", 0, "appProtocol") {
				t.Errorf("scheme %q is not the service's", scheme)
			}
		})
	}
}

func TestDashboardIsForTheSidecarAndLinksToTheAuditor(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		object string
		url    string
	}{
		"default values": {nil, "ConfigMap/release-timeout-auditor-dashboard", ""},
		"full values":    {[]string{"--values=" + fullValues}, "ConfigMap/auditor-dashboard", "https://tools.example.com/timeouts/"},
	} {
		t.Run(name, func(t *testing.T) {
			o := render(t, c.args...)[c.object]
			if label := o.text("metadata", "labels", "grafana_dashboard"); label != "1" {
				t.Errorf("label grafana_dashboard is %q", label)
			}
			want, err := grafana.Dashboard(grafana.Options{AuditorURL: c.url})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, o.text("data", "timeout-auditor.json")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
