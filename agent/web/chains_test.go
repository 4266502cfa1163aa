package web_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/report"
)

func TestChainShowsItsBudgetHopByHop(t *testing.T) {
	r := rich(t)
	_, _, page := request(t, "GET", serve(t, func(o *web.Options) { o.Report = func() *report.Report { return r } }).URL+"/chains/product-page")
	bars := regexp.MustCompile(`<svg class="chart bar"`).FindAllString(page, -1)
	if want := 9; len(bars) != want { // the entry, seven hops that have a p99, and what is needed
		t.Errorf("%d bars, want %d", len(bars), want)
	}
	for _, want := range []string{
		"the entry itself", "nested 1 deep", "nested 2 deep", "in parallel", "Calls that outlive their caller",
		`<bdi class="name">never</bdi>`, "at least ", "from 40ms to ",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	ids := map[string]bool{}
	for _, match := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[match[1]] {
			t.Errorf("two elements have the id %s", match[1])
		}
		ids[match[1]] = true
	}
}
