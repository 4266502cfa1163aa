package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/rules/recording"
)

// pages returns the path of every page for people, from this directory.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"../*.md", "*.md", "*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	for _, wanted := range []string{"../CHANGELOG.md", "model.md", "runbooks/README.md", "adr/README.md"} {
		if !slices.Contains(all, filepath.FromSlash(wanted)) {
			t.Fatalf("the pages do not include %s: %v", wanted, all)
		}
	}
	return all
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A page that names a metric must name one that exists. Histograms are queried
// by their series.
func TestPagesNameOnlyMetricsThatExist(t *testing.T) {
	known := map[string]bool{}
	for _, desc := range metric.Table() {
		known[desc.Name] = true
		if desc.Kind == metric.Histogram {
			for _, suffix := range []string{"_bucket", "_count", "_sum"} {
				known[desc.Name+suffix] = true
			}
		}
	}
	for _, record := range metric.Recorded() {
		known[record.Name] = true
	}
	for _, desc := range recording.Table() {
		known[desc.Name] = true
	}
	name := regexp.MustCompile(`(\b[a-z_]+:)?\btimeout_auditor_[a-z0-9_:]*[a-z0-9]`)
	for _, page := range pages(t) {
		for _, named := range name.FindAllString(read(t, page), -1) {
			if !known[named] {
				t.Errorf("%s names %s, which is not exported", page, named)
			}
		}
	}
}
