package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// link is a Markdown link: [text](target).
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

func TestLinksLeadToFilesAndHeadingsThatExist(t *testing.T) {
	for _, page := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(prose(read(t, page)), -1) {
			target := match[1]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			path, anchor, _ := strings.Cut(target, "#")
			file := page
			if path != "" {
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(path))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s: %v", page, target, err)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(read(t, file)), anchor) {
				t.Errorf("%s links to %s, and %s has no such heading", page, target, file)
			}
		}
	}
}

func TestAnchorsAreThoseOfGitHub(t *testing.T) {
	got := anchors("# Statuses and reasons\ntext\n## §5 Retries, `retry_on_timeout` & more\n```sh\n# not a heading\n```\n")
	want := []string{"statuses-and-reasons", "5-retries-retry_on_timeout--more"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// prose drops blocks of code.
func prose(text string) string {
	var kept strings.Builder
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		} else if !code {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// anchors returns the fragments by which GitHub reaches the headings of a page:
// lower case, blanks as hyphens, punctuation dropped.
func anchors(text string) []string {
	var all []string
	for line := range strings.Lines(prose(text)) {
		title, isHeading := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !isHeading || !strings.HasPrefix(line, "#") {
			continue
		}
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title)))
	}
	return all
}
