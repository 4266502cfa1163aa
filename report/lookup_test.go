package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

func TestOneDependencyAloneIsTheOneInTheWholeReport(t *testing.T) {
	r := reporttest.EveryStatus()
	for i, document := range r.Document().Dependencies {
		d, ok := r.Find(document.Dependency)
		if !ok {
			t.Fatalf("no dependency %q", document.Dependency)
		}
		if diff := cmp.Diff(r.Document().Dependencies[i], r.DocumentOf(d)); diff != "" {
			t.Errorf("%q: %s", document.Dependency, diff)
		}
	}
	for i, place := range r.Urgency() {
		d := r.Dependencies[place]
		if diff := cmp.Diff(r.Rows()[i], r.RowOf(d)); diff != "" {
			t.Errorf("%q: %s", d.Dependency.Name, diff)
		}
	}
	if _, ok := r.Find("nobody"); ok {
		t.Error("found a dependency that is not there")
	}
}

func TestOneChainAloneIsTheOneInTheWholeReport(t *testing.T) {
	r := reporttest.OverBudget()
	chain, ok := r.FindChain("product-page")
	if !ok {
		t.Fatal("no chain product-page")
	}
	if diff := cmp.Diff(r.Document().Chains[0], chain.Document()); diff != "" {
		t.Error(diff)
	}
	if _, ok := r.FindChain("nobody"); ok {
		t.Error("found a chain that is not there")
	}
}
