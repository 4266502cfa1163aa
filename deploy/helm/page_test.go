package helm_test

import (
	"os"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// The values that the page of installation starts people with must work.
func TestValuesOfTheInstallationPageMakeAnAuditor(t *testing.T) {
	page, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```yaml\n   # values.yaml\n")
	values, _, ended := strings.Cut(rest, "```")
	if !found || !ended {
		t.Fatal("the page has no block that begins with # values.yaml")
	}
	file := write(t, "values.yaml", strings.ReplaceAll("\n"+values, "\n   ", "\n"))
	text := render(t, "--api-versions=monitoring.coreos.com/v1", "--values="+file).config(t)
	c, err := config.Load(write(t, "config.yaml", text), config.Options{Rules: rules.Codes()})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Dependencies) != 1 || c.Dependencies[0].Name != "checkout-payments" {
		t.Errorf("it audits %v", c.Dependencies)
	}
}
