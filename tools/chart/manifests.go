package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

const manifestDir = "deploy/kubernetes"

// manifest is one file of plain manifests and the templates it holds.
type manifest struct {
	name      string
	about     string // the comment at its top
	templates []string
}

// manifestTable splits the chart by what a cluster needs to have for it.
func manifestTable() []manifest {
	return []manifest{
		{
			name: "timeout-auditor.yaml",
			about: "The auditor, in namespace monitoring. Put your dependencies into config.yaml of\n" +
				"the ConfigMap, and the address of your Prometheus.",
			templates: []string{"serviceaccount", "configmap", "deployment", "service", "networkpolicy"},
		},
		{
			name: "prometheus-operator.yaml",
			about: "Scraping and alerts, for clusters with the Prometheus operator. Set the label\n" +
				"release to what your operator selects: kube-prometheus-stack asks for the name\n" +
				"of its Helm release.",
			templates: []string{"servicemonitor", "prometheusrule"},
		},
		{
			name: "grafana-dashboard.yaml",
			about: "The dashboard, for Grafana's sidecar. Too large for kubectl apply without\n" +
				"--server-side.",
			templates: []string{"dashboard"},
		},
	}
}

// manifests are the plain manifests. The chart's copies have to be in step.
func manifests(ctx context.Context, root string) (derived, error) {
	d := derived{texts: map[string][]byte{}, patterns: []string{manifestDir + "/*.yaml"}}
	dashboards, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(chart), "dashboards", "*.json"))
	if err != nil {
		return derived{}, err
	}
	for _, m := range manifestTable() {
		if m.templates[0] == "dashboard" && len(dashboards) == 0 {
			continue // helm refuses to show a template that makes nothing
		}
		args := []string{
			"template", "timeout-auditor", filepath.Join(root, filepath.FromSlash(chart)),
			"--namespace=monitoring", "--kube-version=1.37",
			"--values=" + filepath.Join(root, "tools", "chart", "manifests-values.yaml"),
		}
		for _, template := range m.templates {
			args = append(args, "--show-only=templates/"+template+".yaml")
		}
		text, err := servers.Helm(ctx, args...)
		if err != nil {
			return derived{}, err
		}
		d.texts[manifestDir+"/"+m.name] = []byte(header(m.about) + withoutHelm(string(text)))
	}
	return d, nil
}

func header(about string) string {
	lines := "Generated from the Helm chart by go run ./tools/chart.\n" + about
	return "# " + strings.ReplaceAll(lines, "\n", "\n# ") + "\n"
}

// withoutHelm drops the labels and comments that say Helm manages an object:
// here nobody's Helm does.
func withoutHelm(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimSpace(line); {
		case strings.HasPrefix(line, "# Source: "),
			trimmed == "app.kubernetes.io/managed-by: Helm",
			strings.HasPrefix(trimmed, "helm.sh/chart: "):
		default:
			kept.WriteString(line)
		}
	}
	return kept.String()
}
