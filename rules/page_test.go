package rules_test

import (
	"regexp"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

// The link of an alert as Prometheus fills it in: its templates are Go's.
func TestAlertsLinkToTheAuditorsPages(t *testing.T) {
	var generated strings.Builder
	o := rules.AlertOptions{Runbooks: "https://example.com/", Pages: "https://timeouts.example/x", StaleAfter: time.Minute}
	if err := rules.Generate(&generated, nil, o); err != nil {
		t.Fatal(err)
	}
	links := map[string]int{}
	for _, match := range regexp.MustCompile(`page_url: '?(.*?)'?\n`).FindAllStringSubmatch(generated.String(), -1) {
		var link strings.Builder
		parsed := template.Must(template.New("").Parse("{{ $labels := . }}" + match[1]))
		if err := parsed.Execute(&link, map[string]string{"dependency": `a/"b" & c`, "chain": "x y"}); err != nil {
			t.Fatal(err)
		}
		links[link.String()]++
	}
	dependencies, chains := links["https://timeouts.example/x/dependencies/?name=a%2F%22b%22+%26+c"], links["https://timeouts.example/x/chains/?name=x+y"]
	if dependencies+chains != len(rules.Table()) || chains == 0 || len(links) != 2 {
		t.Errorf("%d rules, links %v", len(rules.Table()), links)
	}
}
