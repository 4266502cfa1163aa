package web_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

// shownRows are the dependencies of an overview in their order.
func shownRows(page string) []string {
	page, _, _ = strings.Cut(page, "<h2>Chains")
	var names []string
	for _, match := range regexp.MustCompile(`<th scope="row"><a href="[^"]*"><bdi class="name">([^<]*)</bdi>`).FindAllStringSubmatch(page, -1) {
		names = append(names, match[1])
	}
	return names
}

// mixed is one dependency of each status, with owners and callers of their own.
func mixed() *report.Report {
	dep := func(name, owner, caller string, above float64) audit.Input {
		d := reporttest.Dependency(name)
		d.Owner, d.Caller = owner, caller
		return reporttest.Seen(d, reporttest.Start, 36000, above)
	}
	gone := reporttest.Dependency("gone")
	gone.Owner = "red"
	return reporttest.Cycle(nil, reporttest.Start,
		dep("a-fine", "blue", "shop", 0), dep("b-worse", "red", "shop", 3600), dep("c-bad", "blue", "cart", 1800),
		reporttest.Unseen(gone, reporttest.Start, latency.StatusNoData, "no series"))
}

func TestOverviewFiltersAndSorts(t *testing.T) {
	server := serve(t, func(o *web.Options) { o.Report = mixed })
	for name, tc := range map[string]struct {
		query string
		want  []string
	}{
		"worst first":                 {"", []string{"b-worse", "c-bad", "gone", "a-fine"}},
		"by owner":                    {"?owner=blue", []string{"c-bad", "a-fine"}},
		"by caller":                   {"?caller=shop", []string{"b-worse", "a-fine"}},
		"by owner and caller":         {"?owner=blue&caller=shop", []string{"a-fine"}},
		"by status":                   {"?status=no-data", []string{"gone"}},
		"by verdict":                  {"?verdict=critical", []string{"b-worse", "c-bad"}},
		"unknown is a verdict":        {"?verdict=unknown", []string{"gone"}},
		"by part of the name":         {"?q=BAD", []string{"c-bad"}},
		"sorted by name":              {"?sort=name", []string{"a-fine", "b-worse", "c-bad", "gone"}},
		"sorted by owner":             {"?sort=owner", []string{"a-fine", "c-bad", "b-worse", "gone"}},
		"sorted by false timeouts":    {"?sort=false-timeouts", []string{"b-worse", "c-bad", "a-fine", "gone"}},
		"sorted by fallbacks":         {"?sort=fallbacks", []string{"b-worse", "c-bad", "a-fine", "gone"}},
		"sorted by T/p99, unknown on": {"?sort=timeout-p99", []string{"b-worse", "c-bad", "a-fine", "gone"}},
		"an order that there is not":  {"?sort=nonsense", []string{"b-worse", "c-bad", "gone", "a-fine"}},
		"a page that there is not":    {"?page=99", []string{"b-worse", "c-bad", "gone", "a-fine"}},
		"nothing":                     {"?owner=green", nil},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, page := request(t, "GET", server.URL+"/"+tc.query)
			if got := shownRows(page); status != 200 || !slices.Equal(got, tc.want) {
				t.Errorf("status %d, %v, want %v", status, got, tc.want)
			}
		})
	}
}

func TestOverviewCountsVerdictsAndUnknownIsNotFine(t *testing.T) {
	_, _, page := request(t, "GET", serve(t, func(o *web.Options) { o.Report = mixed }).URL+"/")
	for _, want := range []string{`badge critical">critical</span> 2`, `badge unknown">unknown</span> 1`, `badge fine">fine</span> 1`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	_, row, _ := strings.Cut(page, ">gone</bdi>")
	row, _, _ = strings.Cut(row, "</tr>")
	if strings.Count(row, "unknown") < 4 || strings.Contains(row, "fine") {
		t.Errorf("the row of what is unknown: %s", row)
	}
}

func TestAReportThatIsOldSaysSo(t *testing.T) {
	late := func(o *web.Options) { o.Now = func() time.Time { return reporttest.Start.Add(10 * time.Minute) } }
	for _, path := range []string{"/", "/dependencies/comfortable"} {
		if _, _, page := request(t, "GET", serve(t, late).URL+path); !strings.Contains(page, "This report is old.") {
			t.Errorf("%s looks as if it were of now", path)
		}
		if _, _, page := request(t, "GET", serve(t, nil).URL+path); strings.Contains(page, "This report is old.") {
			t.Errorf("%s looks old", path)
		}
	}
}

// many is a report on n dependencies, every hundredth of them in trouble.
func many(n int) *report.Report {
	var inputs []audit.Input
	for i := range n {
		dep := reporttest.Dependency(fmt.Sprintf("caller-%d-callee-%d", i%97, i))
		dep.Owner = fmt.Sprintf("team-%d", i%40)
		above := 0.0
		if i%100 == 0 {
			above = float64(1000 + i%1000)
		}
		inputs = append(inputs, reporttest.Seen(dep, reporttest.Start, 36000, above))
	}
	return reporttest.Cycle(nil, reporttest.Start, inputs...)
}

func TestManyRowsComeInPages(t *testing.T) {
	r := many(250)
	server := serve(t, func(o *web.Options) { o.Report = func() *report.Report { return r } })
	seen := map[string]bool{}
	for page, want := range map[string]int{"": 100, "?page=2": 100, "?page=3": 50} {
		_, _, body := request(t, "GET", server.URL+"/"+page)
		rows := shownRows(body)
		if len(rows) != want {
			t.Errorf("page %q has %d rows, want %d", page, len(rows), want)
		}
		for _, name := range rows {
			seen[name] = true
		}
	}
	if len(seen) != 250 {
		t.Errorf("%d different dependencies on three pages, want 250", len(seen))
	}
	_, _, second := request(t, "GET", server.URL+"/?page=2&owner=&sort=name")
	if !strings.Contains(second, `rel="next" href="?page=3&amp;sort=name"`) || !strings.Contains(second, `rel="prev" href="?sort=name"`) {
		t.Error("the second page does not lead on and back in the same order")
	}
}

// first ends a response at its first byte.
type first struct {
	header http.Header
	done   bool
}

func (f *first) Header() http.Header         { return f.header }
func (f *first) WriteHeader(int)             {}
func (f *first) Write(p []byte) (int, error) { f.done = true; return len(p), nil }

// BenchmarkOverview measures the time to the first byte of a page of ten
// thousand dependencies against writing the same hundred rows as JSON.
func BenchmarkOverview(b *testing.B) {
	r := many(10000)
	handler := web.NewHandler(web.Options{
		Report: func() *report.Report { return r }, Metrics: http.NotFoundHandler(), Now: func() time.Time { return r.At }, Logger: slog.New(slog.DiscardHandler),
	})
	page := func() {
		w := &first{header: http.Header{}}
		handler.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/", nil))
		if !w.done {
			b.Fatal("no page")
		}
	}
	shown := *r
	shown.Dependencies = nil
	for _, place := range r.Urgency()[:100] {
		shown.Dependencies = append(shown.Dependencies, r.Dependencies[place])
	}
	rows := func() {
		if err := shown.WriteJSON(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	var pages, jsons time.Duration
	for b.Loop() {
		start := time.Now()
		page()
		middle := time.Now()
		rows()
		pages, jsons = pages+middle.Sub(start), jsons+time.Since(middle)
	}
	b.ReportMetric(pages.Seconds()/jsons.Seconds(), "page/json")
	b.ReportMetric(pages.Seconds()/float64(b.N)*1e3, "ms/page")
}
