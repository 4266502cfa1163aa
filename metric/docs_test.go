package metric_test

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/agent/notify"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

//go:generate go test . -run=^TestMetricsPage -update

const metricsPage = "../docs/metrics.md"

var update = flag.Bool("update", false, "write docs/metrics.md anew")

// page is what the template of docs/metrics.md is filled with.
type page struct {
	DependencyLabels        []string
	PerDependency, OfItself []metric.Desc
	Recorded                []metric.Record

	Statuses, Severities, Rules, Causes, Sources []string

	Cycles, Queries, Notifications                  string
	CycleResults, QueryResults, NotificationResults []string
}

func texts[T ~string](values []T) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	return all
}

func metricsPageText(t *testing.T) string {
	t.Helper()
	parsed, err := template.New("metrics.md.tmpl").Funcs(template.FuncMap{
		"codes": func(values []string) string {
			if len(values) == 0 {
				return "–"
			}
			return "`" + strings.Join(values, "`, `") + "`"
		},
		"beyond": func(labels []string) []string { return labels[len(metric.DependencyLabels()):] },
		"cell":   func(text string) string { return strings.ReplaceAll(text, "|", `\|`) },
	}).ParseFiles("testdata/metrics.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	perDependency := metric.PerDependency()
	var out bytes.Buffer
	err = parsed.Execute(&out, page{
		DependencyLabels: metric.DependencyLabels(),
		PerDependency:    perDependency,
		OfItself:         metric.Table()[len(perDependency):],
		Recorded:         metric.Recorded(),
		Statuses:         texts(latency.Statuses()),
		Severities:       texts([]rules.Severity{rules.Critical, rules.Warning, rules.Info}),
		Rules:            rules.Codes(),
		Causes:           []string{"timeout", "error", "mixed"},
		Sources:          []string{"configured", "default"},
		Cycles:           metric.Cycles,
		Queries:          metric.Queries,
		CycleResults:     texts(report.Results()),
		QueryResults:     texts(promquery.Outcomes()),

		Notifications:       metric.Notifications,
		NotificationResults: texts(notify.Results()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestMetricsPageFollowsTheTable(t *testing.T) {
	want := metricsPageText(t)
	if *update {
		if err := os.WriteFile(metricsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/metrics.md is out of date, run go generate ./metric (-want +got):\n%s", diff)
	}
}

func TestDependencyLabelsComeFirst(t *testing.T) {
	for _, desc := range metric.PerDependency() {
		if n := len(metric.DependencyLabels()); len(desc.Labels) < n || !slices.Equal(desc.Labels[:n], metric.DependencyLabels()) {
			t.Errorf("%s has the labels %v, want %v first", desc.Name, desc.Labels, metric.DependencyLabels())
		}
	}
}
