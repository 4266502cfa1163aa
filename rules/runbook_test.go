package rules_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/promql/parser"
	"gopkg.in/yaml.v3"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/rules"
	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

const (
	runbookDir   = "../docs/runbooks"
	runbookIndex = "README.md"
)

// runbookSections are the headings of every page, in order.
var runbookSections = []string{"What it means", "How sure it is", "What to check", "Which lever", "When it clears"}

// generatedAlerts returns every alert of the generated rule file.
func generatedAlerts(t *testing.T) []rulefile.Rule {
	t.Helper()
	var out bytes.Buffer
	if err := rules.Generate(&out, nil, rules.AlertOptions{Runbooks: runbooks, StaleAfter: 5 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []rulefile.Rule `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	var alerts []rulefile.Rule
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if rule.Alert != "" { // the others record
				alerts = append(alerts, rule)
			}
		}
	}
	return alerts
}

// runbookPage returns the file that an alert's runbook_url leads to.
func runbookPage(t *testing.T, alert rulefile.Rule) string {
	t.Helper()
	page, ours := strings.CutPrefix(alert.Annotations["runbook_url"], runbooks)
	if !ours || page == "" || strings.Contains(page, "/") {
		t.Fatalf("%s has the runbook_url %q, want a page under %s", alert.Alert, alert.Annotations["runbook_url"], runbooks)
	}
	return page
}

func readRunbook(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(runbookDir, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// runbookFacts is the line of a page that restates the alert: it must follow
// the table of rules.
func runbookFacts(alert rulefile.Rule) string {
	i := slices.IndexFunc(rules.Table(), func(r rules.Rule) bool { return r.Alert() == alert.Alert })
	if i < 0 {
		return fmt.Sprintf("About the auditor itself: %s, alert after %s.", alert.Labels["severity"], alert.For)
	}
	rule := rules.Table()[i]
	threshold := ""
	if rule.Threshold != 0 {
		threshold = ", threshold " + strconv.FormatFloat(rule.Threshold, 'f', -1, 64)
	}
	return fmt.Sprintf("Rule `%s`: %s%s, alert after %s.", rule.Code, rule.Severity, threshold, alert.For)
}

func TestEveryAlertHasItsRunbook(t *testing.T) {
	for _, alert := range generatedAlerts(t) {
		t.Run(alert.Alert, func(t *testing.T) {
			text := readRunbook(t, runbookPage(t, alert))
			begin := fmt.Sprintf("# %s\n\n%s\n", alert.Alert, runbookFacts(alert))
			if !strings.HasPrefix(text, begin) {
				t.Errorf("the page must begin with\n%s", begin)
			}
			var sections []string
			for line := range strings.Lines(text) {
				if heading, ok := strings.CutPrefix(line, "## "); ok {
					sections = append(sections, strings.TrimSpace(heading))
				}
			}
			if diff := cmp.Diff(runbookSections, sections); diff != "" {
				t.Errorf("sections (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryRunbookBelongsToAnAlert(t *testing.T) {
	known := []string{runbookIndex}
	for _, alert := range generatedAlerts(t) {
		known = append(known, runbookPage(t, alert))
	}
	entries, err := os.ReadDir(runbookDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !slices.Contains(known, entry.Name()) {
			t.Errorf("%s is the page of no alert", entry.Name())
		}
	}
}

func TestIndexOfRunbooksListsEveryAlertWithItsSeverity(t *testing.T) {
	index := readRunbook(t, runbookIndex)
	for _, alert := range generatedAlerts(t) {
		severity := alert.Labels["severity"]
		for _, rule := range rules.Table() {
			if rule.Alert() == alert.Alert {
				severity = string(rule.Severity)
			}
		}
		row := fmt.Sprintf("| [%s](%s) | %s |", alert.Alert, runbookPage(t, alert), severity)
		if !strings.Contains(index, row) {
			t.Errorf("the index has no row that begins with\n%s", row)
		}
	}
	for _, status := range latency.Statuses() {
		if !strings.Contains(index, fmt.Sprintf("| `%s` |", status)) {
			t.Errorf("the index does not explain the status %s", status)
		}
	}
}

// What a page says to paste must at least be PromQL: each line of a promql
// block is one expression.
func TestRunbooksHoldValidPromQL(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(runbookDir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	promql := parser.NewParser(parser.Options{})
	for _, path := range pages {
		page := filepath.Base(path)
		block, found := "", 0
		for line := range strings.Lines(readRunbook(t, page)) {
			line = strings.TrimSpace(line)
			fence, isFence := strings.CutPrefix(line, "```")
			switch {
			case isFence:
				block = fence
			case block == "promql" && line != "":
				found++
				if _, err := promql.ParseExpr(line); err != nil {
					t.Errorf("%s: %s: %v", page, line, err)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s has no promql block to paste", page)
		}
	}
}
