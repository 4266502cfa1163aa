package web_test

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/report"
)

var shownFigure = regexp.MustCompile(`<data value="([^"]*)" data-key="([^"]+)">([^<]*)</data>`)

// lookUp finds a value in decoded JSON by a path such as figures.readings.0.ratio.
func lookUp(document any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch at := document.(type) {
		case map[string]any:
			document = at[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(at) {
				return nil
			}
			document = at[i]
		default:
			return nil
		}
	}
	return document
}

// checkFigures compares every figure of a page that names its place with the
// JSON there, exactly, and its text with what package figure makes of it. It
// returns how many it compared.
func checkFigures(t *testing.T, what, page string, document any, known func(key string) bool) int {
	t.Helper()
	compared := 0
	for _, match := range shownFigure.FindAllStringSubmatch(page, -1) {
		value, key, text := match[1], match[2], html.UnescapeString(match[3])
		if !known(key) {
			continue
		}
		compared++
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Errorf("%s: %s is %q", what, key, value)
			continue
		}
		if want, ok := lookUp(document, key).(float64); !ok || want != x {
			t.Errorf("%s: the page has %s = %v, the JSON %v", what, key, x, lookUp(document, key))
		}
		written := []string{figure.Seconds(x), figure.Ratio(x), figure.Multiple(x), figure.Count(x), strconv.FormatFloat(x, 'g', 4, 64)}
		found := false
		for _, w := range written {
			found = found || w == text
		}
		if !found {
			t.Errorf("%s: %s = %v reads %q", what, key, x, text)
		}
	}
	return compared
}

// decoded is a value as a reader of its JSON has it.
func decoded(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func TestFiguresOnPagesAreThoseOfTheJSON(t *testing.T) {
	r := rich(t)
	server := serve(t, func(o *web.Options) { o.Report = func() *report.Report { return r } })
	fromReport := func(key string) bool { return strings.HasPrefix(key, "figures.") }
	for _, document := range r.Document().Dependencies {
		status, _, page := request(t, "GET", server.URL+"/dependencies/?name="+url.QueryEscape(document.Dependency))
		if status != 200 {
			t.Errorf("%q: status %d", document.Dependency, status)
			continue
		}
		compared := checkFigures(t, document.Dependency, page, decoded(t, document), fromReport)
		if known := document.Figures != nil; known != (compared > 10) {
			t.Errorf("%q: %d figures compared, known %t", document.Dependency, compared, known)
		}
	}
	everything := func(string) bool { return true }
	for _, document := range r.Document().Chains {
		_, _, page := request(t, "GET", server.URL+"/chains/?name="+url.QueryEscape(document.Chain))
		if compared := checkFigures(t, document.Chain, page, decoded(t, document), everything); compared < 8 {
			t.Errorf("%q: only %d figures compared", document.Chain, compared)
		}
	}
}

// The overview's cells are the words of the report's own table.
func TestOverviewShowsTheReportsOwnRows(t *testing.T) {
	r := rich(t)
	_, _, page := request(t, "GET", serve(t, func(o *web.Options) { o.Report = func() *report.Report { return r } }).URL+"/")
	page = html.UnescapeString(page)
	for _, row := range r.Rows() {
		for what, cell := range map[string]string{"timeout": row.Timeout, "p99": row.P99, "false timeouts": row.FalseTimeouts, "attempts": row.Attempts, "status": row.Status} {
			if cell != "-" && !strings.Contains(page, ">"+cell+"<") {
				t.Errorf("%.40q: no cell for %s %q", row.Dependency, what, cell)
			}
		}
	}
}
