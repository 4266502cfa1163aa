package exposition_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/exposition"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

const served = `# HELP http_seconds How long requests take.
# TYPE http_seconds histogram
http_seconds_bucket{code="200",le="0.1"} 50
http_seconds_bucket{code="200",le="1"} 90
http_seconds_bucket{code="200",le="+Inf"} 100
http_seconds_sum{code="200"} 30
http_seconds_count{code="200"} 100
http_seconds_bucket{code="500",le="0.1"} 10
http_seconds_bucket{code="500",le="1.0"} 10
http_seconds_bucket{code="500",le="+Inf"} 10
http_seconds_sum{code="500"} 0.5
http_seconds_count{code="500"} 10
`

func read(t *testing.T, text string) *exposition.Exposition {
	t.Helper()
	e, err := exposition.Read(strings.NewReader(text), "m.txt")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func observe(t *testing.T, text string, s exposition.Selection) latency.Observation {
	t.Helper()
	o, err := read(t, text).Observe(s)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func matching(kind labels.MatchType, name, value string) []*labels.Matcher {
	return []*labels.Matcher{labels.MustNewMatcher(kind, name, value)}
}

func TestSeriesOfAHistogramAreAddedUp(t *testing.T) {
	got := observe(t, served, exposition.Selection{Metric: "http_seconds"})
	sum := 30.5
	want := latency.Window{Scrapes: math.Inf(1), Parts: []latency.Histogram{{
		Scheme: latency.Classic, Sum: &sum,
		Bins: []latency.Bin{{Lower: 0, Upper: 0.1, Count: 60}, {Lower: 0.1, Upper: 1, Count: 40}, {Lower: 1, Upper: math.Inf(1), Count: 10}},
	}}}
	if diff := cmp.Diff(want, got.Now); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
	// 110 calls: rank 55 lies 55/60 into the first bucket, rank 108.9 in the last.
	if math.Abs(*got.P50-0.1*55/60) > 1e-12 || *got.P99 != 1 {
		t.Errorf("p50 %g, p99 %g", *got.P50, *got.P99)
	}
	if got.Window != 0 || len(got.Before.Parts) != 0 {
		t.Errorf("window %v, before %v: neither is known", got.Window, got.Before)
	}
	for i, part := range []string{"since the process started", "how bursty", "2 series are added up"} {
		if i >= len(got.Notes) || !strings.Contains(got.Notes[i], part) {
			t.Errorf("note %d lacks %q: %q", i, part, got.Notes)
		}
	}
}

func TestMatchersChooseSeries(t *testing.T) {
	for name, c := range map[string]struct {
		matchers []*labels.Matcher
		want     float64
	}{
		"equal":                           {matching(labels.MatchEqual, "code", "500"), 10},
		"regular expression":              {matching(labels.MatchRegexp, "code", "5.."), 10},
		"not equal":                       {matching(labels.MatchNotEqual, "code", "200"), 10},
		"a label that is absent is empty": {matching(labels.MatchEqual, "absent", ""), 110},
	} {
		got := observe(t, served, exposition.Selection{Metric: "http_seconds", Matchers: c.matchers})
		if n := got.Now.Parts[0].Total(); n != c.want {
			t.Errorf("%s: %g calls, want %g", name, n, c.want)
		}
	}
}

func TestMillisecondsBecomeSeconds(t *testing.T) {
	text := "a_ms_bucket{le=\"100\"} 1\na_ms_bucket{le=\"700\"} 2\na_ms_bucket{le=\"+Inf\"} 2\na_ms_sum 500\n"
	h := observe(t, text, exposition.Selection{Metric: "a_ms", UnitScale: 0.001}).Now.Parts[0]
	if h.Bins[1].Upper != 0.7 || *h.Sum != 0.5 {
		t.Errorf("bound %v, sum %v; want exactly 0.7 and 0.5", h.Bins[1].Upper, *h.Sum)
	}
}

func TestSeriesNotSelectedMayBeBroken(t *testing.T) {
	broken := served + "http_seconds_bucket{code=\"302\",le=\"1\"} NaN\nhttp_seconds_bucket{code=\"301\",le=\"1\"} 4\n"
	good := exposition.Selection{Metric: "http_seconds", Matchers: matching(labels.MatchRegexp, "code", "200|500")}
	if n := observe(t, broken, good).Now.Parts[0].Total(); n != 110 {
		t.Errorf("%g calls, want 110", n)
	}
	if _, err := read(t, broken).Observe(exposition.Selection{Metric: "http_seconds"}); err == nil {
		t.Error("all series are selected, and broken ones were read")
	}
}

// All of these are one histogram: 3 calls up to 1 s and 4 in all.
func TestTextFormatsAreRead(t *testing.T) {
	for name, text := range map[string]string{
		"plain":               "a_bucket{le=\"1\"} 3\na_bucket{le=\"+Inf\"} 4\n",
		"no newline at end":   "a_bucket{le=\"1\"} 3\na_bucket{le=\"+Inf\"} 4",
		"carriage returns":    "a_bucket{le=\"1\"} 3\r\na_bucket{le=\"+Inf\"} 4\r\n",
		"byte order mark":     "\ufeffa_bucket{le=\"1\"} 3\na_bucket{le=\"+Inf\"} 4\n",
		"blanks":              "\n  a_bucket { le = \"1\" , }  3 \n\ta_bucket{le=\"+Inf\"}\t4\n",
		"timestamps":          "a_bucket{le=\"1\"} 3 1767225600000\na_bucket{le=\"+Inf\"} 4 1767225600000\n",
		"other comments":      "# made by hand\n#\n# TYPES a b\na_bucket{le=\"1\"} 3\na_bucket{le=\"+Inf\"} 4\n",
		"buckets in disorder": "a_bucket{le=\"+Inf\"} 4\na_bucket{le=\"1\"} 3\n",
		"OpenMetrics": "# TYPE a histogram\n# UNIT a seconds\n# HELP a A.\n" +
			"a_bucket{le=\"1.0\"} 3 # {trace_id=\"x{y}#z\"} 0.67 1767225600.123\na_bucket{le=\"+Inf\"} 4\na_count 4\na_sum 5.5\na_created 1767225600.0\n# EOF\n",
		"exponents":             "a_bucket{le=\"1e0\"} 3e0\na_bucket{le=\"+Inf\"} 4.0\n",
		"escapes":               "a_bucket{p=\"C:\\\\x \\\"{},# \\n \\d\",le=\"1\"} 3\na_bucket{p=\"C:\\\\x \\\"{},# \\n \\d\",le=\"+Inf\"} 4\n",
		"names in quotes":       "# TYPE \"a\" histogram\n{\"a_bucket\",\"http.code\"=\"200\",le=\"1\"} 3\n{\"a_bucket\",\"http.code\"=\"200\",le=\"+Inf\"} 4\n",
		"empty label":           "a_bucket{x=\"\",le=\"1\"} 3\na_bucket{le=\"+Inf\"} 4\n",
		"neighbours are others": "a_b_bucket{le=\"1\"} 7\na_b_count 9\na_bucket{le=\"1\"} 3\na_bucket{le=\"+Inf\"} 4\nab_bucket{le=\"2\"} 1\n",
	} {
		got := observe(t, text, exposition.Selection{Metric: "a"})
		want := []latency.Bin{{Lower: 0, Upper: 1, Count: 3}, {Lower: 1, Upper: math.Inf(1), Count: 1}}
		if diff := cmp.Diff(want, got.Now.Parts[0].Bins); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestEscapedLabelValuesCanBeSelected(t *testing.T) {
	text := "a_bucket{p=\"C:\\\\x \\\"q\\\" \\n \\d\",le=\"1\"} 3\na_bucket{p=\"C:\\\\x \\\"q\\\" \\n \\d\",le=\"+Inf\"} 4\n"
	observe(t, text, exposition.Selection{Metric: "a", Matchers: matching(labels.MatchEqual, "p", "C:\\x \"q\" \n \\d")})
}

func TestWhatLimitsTheFiguresIsNoted(t *testing.T) {
	const buckets = "a_bucket{le=\"1\"} 3\na_bucket{le=\"+Inf\"} 4\n"
	for name, c := range map[string]struct{ text, want string }{
		"without a sum":     {buckets, "not every series has a _sum"},
		"sum NaN":           {buckets + "a_sum NaN\n", "not every series has a _sum"},
		"one series of two": {buckets + "a_sum 2\na_bucket{x=\"1\",le=\"1\"} 3\na_bucket{x=\"1\",le=\"+Inf\"} 4\n", "not every series has a _sum"},
		"count differs":     {buckets + "a_sum 2\na_count 5\n", "_count of the series without labels is 5 and its +Inf bucket holds 4"},
	} {
		got := observe(t, c.text, exposition.Selection{Metric: "a"})
		if all := strings.Join(got.Notes, "\n"); !strings.Contains(all, c.want) {
			t.Errorf("%s: notes lack %q:\n%s", name, c.want, all)
		}
	}
	whole := observe(t, buckets+"a_sum 2\na_count 4\n", exposition.Selection{Metric: "a"})
	if len(whole.Notes) != 2 {
		t.Errorf("a whole histogram has notes %q, want the two that every exposition has", whole.Notes)
	}
}

func TestDeclaredUnitIsToldWithItsLine(t *testing.T) {
	e := read(t, "# TYPE a histogram\n# UNIT a milliseconds\n# EOF\n")
	if unit, line := e.Unit("a"); unit != "milliseconds" || line != 2 {
		t.Errorf("unit %q in line %d", unit, line)
	}
	if unit, line := e.Unit("b"); unit != "" || line != 0 {
		t.Errorf("nothing is declared of b, got %q in line %d", unit, line)
	}
}

func TestHistogramsAreListed(t *testing.T) {
	e := read(t, served+"b_bucket{le=\"1\"} 1\n# TYPE g gaugehistogram\ng_bucket{le=\"1\"} 1\nup 1\n")
	if diff := cmp.Diff([]string{"b", "http_seconds"}, e.Histograms()); diff != "" {
		t.Errorf("histograms (-want +got):\n%s", diff)
	}
}

// endless is a file that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

func TestEndlessInputIsRefused(t *testing.T) {
	_, err := exposition.Read(endless{}, "m.txt")
	if err == nil || !strings.Contains(err.Error(), "m.txt: is larger than 64 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestErrorOfTheReaderIsKept(t *testing.T) {
	broken := errors.New("the disk is gone")
	if _, err := exposition.Read(iotest.ErrReader(broken), "m.txt"); !errors.Is(err, broken) || !strings.Contains(err.Error(), "m.txt") {
		t.Errorf("got %v", err)
	}
}
