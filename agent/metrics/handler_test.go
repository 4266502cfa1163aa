package metrics_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/agent/metrics"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

// served is what the handler answers to a scrape with the given header.
func served(t *testing.T, r *report.Report, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	own := prometheus.NewRegistry()
	own.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "own_gauge", Help: "Of the auditor."}))
	c := metrics.NewCollector(func() *report.Report { return r }, func() time.Time { return r.At })
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	request.Header = header
	w := httptest.NewRecorder()
	c.Handler(own).ServeHTTP(w, request)
	return w
}

func read(t *testing.T, r io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func hostileNames() *report.Report {
	r := *reporttest.EveryStatus()
	r.Dependencies = slices.Clone(r.Dependencies)
	for i, name := range []string{"quote\"d", "back\\slash", "new\nline", "{a=\"b\"} 1", "é世界"} {
		r.Dependencies[i%len(r.Dependencies)].Dependency.Name = name
	}
	return &r
}

// emptyLabel is a label without a value, which the registry writes and the
// handler leaves out.
var emptyLabel = regexp.MustCompile(`(,[a-z]+=""|[a-z]+="",?)`)

// The handler does without the library's own exposition; what it serves is the
// same, line by line, but for labels without a value.
func TestHandlerServesWhatTheRegistryWould(t *testing.T) {
	for name, r := range map[string]*report.Report{
		"every status": reporttest.EveryStatus(), "a chain": reporttest.OverBudget(), "hostile names": hostileNames(),
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, served(t, r, nil).Body)
			want := emptyLabel.ReplaceAllString(exposition(t, r, r.At), "") + "# HELP own_gauge Of the auditor.\n# TYPE own_gauge gauge\nown_gauge 0\n"
			if d := cmp.Diff(sortedLines(want), sortedLines(got)); d != "" {
				t.Errorf("(-registry +handler):\n%s", d)
			}
			parser := expfmt.NewTextParser(model.UTF8Validation)
			if _, err := parser.TextToMetricFamilies(strings.NewReader(got)); err != nil {
				t.Errorf("the text does not parse: %v", err)
			}
		})
	}
}

func sortedLines(text string) []string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return lines
}

func TestHandlerCompressesForThoseWhoTakeIt(t *testing.T) {
	plain := read(t, served(t, reporttest.EveryStatus(), nil).Body)
	for accepts, packed := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "identity": false, "gzip;q=0": false} {
		response := served(t, reporttest.EveryStatus(), http.Header{"Accept-Encoding": {accepts}})
		if got := response.Header().Get("Content-Encoding") == "gzip"; got != packed {
			t.Errorf("%q: packed is %t, want %t", accepts, got, packed)
		}
		body := io.Reader(response.Body)
		if packed {
			var err error
			if body, err = gzip.NewReader(body); err != nil {
				t.Fatal(err)
			}
		}
		if read(t, body) != plain {
			t.Errorf("%q: not what is served without", accepts)
		}
	}
}
