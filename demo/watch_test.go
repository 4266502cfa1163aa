package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// dependency is one dependency of a report, with findings by rule.
func dependency(name string, status latency.Status, findings ...report.FindingDocument) report.DependencyDocument {
	return report.DependencyDocument{Dependency: name, Status: status, Findings: findings}
}

// watching is a watch over an auditor that reports the given document, and what
// it prints.
func watching(t *testing.T, o options, document report.Document) (*watch, *bytes.Buffer) {
	t.Helper()
	auditor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := json.NewEncoder(w).Encode(document); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(auditor.Close)
	var printed bytes.Buffer
	return &watch{
		stack: &stack{
			out:    newConsole(&printed),
			daemon: &daemon{url: auditor.URL, logFile: filepath.Join(t.TempDir(), "none")},
		},
		options: o, pages: map[string]bool{}, document: document,
	}, &printed
}

func page(dependency string) alert {
	return alert{
		Status: "firing",
		Labels: map[string]string{"alertname": "TimeoutBelowP99", "severity": "critical", "dependency": dependency, "owner": "team-pay"},
		Annotations: map[string]string{
			"description": "4% are cut off.", "runbook_url": "https://example.org/runbooks/timeout-below-p99.md",
		},
	}
}

func TestPageIsPrintedWithItsReasonAndWhatToDo(t *testing.T) {
	w, printed := watching(t, options{}, report.Document{Dependencies: []report.DependencyDocument{
		dependency("search-index", latency.StatusOK),
		dependency("checkout-payments", latency.StatusOK,
			report.FindingDocument{Rule: "fallback-ratio-high", Advice: "another"},
			report.FindingDocument{Rule: "timeout-below-p99", Advice: "raise it to 600ms"}),
	}})
	if err := w.arrived(t.Context(), page("checkout-payments")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		">>> PAGE: TimeoutBelowP99", "severity=critical dependency=checkout-payments owner=team-pay", "4% are cut off.",
		"do: raise it to 600ms", "docs/runbooks/timeout-below-p99.md", "explain --config.file=",
	} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("%q is missing:\n%s", want, printed)
		}
	}
	if !w.complete() {
		t.Error("the page is here and search-index is fine, and still it waits")
	}
}

func TestOnceRefusesAPageThatCanNotBeRight(t *testing.T) {
	for name, c := range map[string]struct {
		once, refused bool
	}{
		"search-index":      {true, true},
		"reports-warehouse": {true, true},
		"checkout-payments": {true, false},
		"checkout-fraud":    {true, false}, // a busy machine makes it right
		"mail-smtp":         {false, false},
	} {
		w, printed := watching(t, options{once: c.once}, report.Document{})
		err := w.arrived(t.Context(), page(name))
		if refused := err != nil && strings.Contains(err.Error(), "arrived for "+name); refused != c.refused {
			t.Errorf("%s: error %v, want it refused: %t", name, err, c.refused)
		}
		if !strings.Contains(printed.String(), "dependency="+name) {
			t.Errorf("%s: the page is not printed", name)
		}
	}
	w, _ := watching(t, options{}, report.Document{})
	if err := w.arrived(t.Context(), page("search-index")); err != nil {
		t.Errorf("without --once: %v, want it only printed", err)
	}
}

func TestOnceWaitsUntilTheComfortableTimeoutIsKnownAsFine(t *testing.T) {
	for name, c := range map[string]struct {
		dependencies []report.DependencyDocument
		want         bool
	}{
		"fine":          {[]report.DependencyDocument{dependency(quietAbout, latency.StatusOK)}, true},
		"a remark":      {[]report.DependencyDocument{dependency(quietAbout, latency.StatusOK, report.FindingDocument{Severity: rules.Info})}, true},
		"not known yet": {[]report.DependencyDocument{dependency(quietAbout, latency.StatusThinData)}, false},
		"a warning":     {[]report.DependencyDocument{dependency(quietAbout, latency.StatusOK, report.FindingDocument{Severity: rules.Warning})}, false},
		"missing":       {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := watching(t, options{once: true}, report.Document{Dependencies: c.dependencies})
			if w.complete() {
				t.Error("complete before the page")
			}
			w.pages[pagedFor] = true
			if got := w.complete(); got != c.want {
				t.Errorf("complete is %t, want %t", got, c.want)
			}
			if said := w.gaveUp().Error(); !strings.Contains(said, quietAbout) {
				t.Errorf("giving up says %q, and not that it waited for %s", said, quietAbout)
			}
		})
	}
}

func TestResolvedAlertIsNoPage(t *testing.T) {
	w, printed := watching(t, options{once: true}, report.Document{})
	resolved := page("checkout-payments")
	resolved.Status = "resolved"
	if err := w.arrived(t.Context(), resolved); err != nil || len(w.pages) > 0 {
		t.Errorf("error %v, pages %v, want neither", err, w.pages)
	}
	if !strings.Contains(printed.String(), "resolved: TimeoutBelowP99 checkout-payments") {
		t.Errorf("printed %q", printed)
	}
}

func TestReportIsWorthAnotherLookWhenItsStateChanges(t *testing.T) {
	ratio := 0.01
	base := func() report.Document {
		return report.Document{Dependencies: []report.DependencyDocument{dependency("a", latency.StatusOK,
			report.FindingDocument{Rule: "r", Severity: rules.Warning})}}
	}
	for name, c := range map[string]struct {
		change func(d *report.DependencyDocument)
		want   bool
	}{
		"nothing":          {func(*report.DependencyDocument) {}, false},
		"a figure":         {func(d *report.DependencyDocument) { d.Figures = &report.FiguresDocument{ErrorRatio: &ratio} }, false},
		"a message":        {func(d *report.DependencyDocument) { d.Findings[0].Message = "other numbers" }, false},
		"held by the data": {func(d *report.DependencyDocument) { d.Findings[0].Held = rules.HeldUncertain }, false},
		"held by silence":  {func(d *report.DependencyDocument) { d.Findings[0].Held = rules.HeldUnknown }, true},
		"the status":       {func(d *report.DependencyDocument) { d.Status = latency.StatusNoData }, true},
		"the severity":     {func(d *report.DependencyDocument) { d.Findings[0].Severity = rules.Critical }, true},
		"a finding less":   {func(d *report.DependencyDocument) { d.Findings = nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			changed := base()
			c.change(&changed.Dependencies[0])
			if got := stateOf(changed) != stateOf(base()); got != c.want {
				t.Errorf("changed is %t, want %t", got, c.want)
			}
		})
	}
}

func TestChangesNameWhatCameWhatIsHeldAndWhatWent(t *testing.T) {
	stands := func(rule, message string, held rules.Hold) finding {
		return finding{"a-b", report.FindingDocument{Rule: rule, Severity: rules.Warning, Message: message, Held: held}}
	}
	before := []finding{stands("stays", "1%", ""), stands("silent", "2%", ""), stands("goes", "3%", "")}
	now := []finding{stands("stays", "4%", rules.HeldUncertain), stands("silent", "2%", rules.HeldUnknown), stands("comes", "5%", "")}
	want := []string{
		"held: a-b warning silent: nothing newer is known",
		"new:  a-b warning comes: 5%",
		"gone: a-b warning goes",
	}
	if diff := cmp.Diff(want, changes(before, now)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
