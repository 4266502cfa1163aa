package promquery

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// hostile are texts that end a string, a selector or an expression early where
// somebody pastes them into a query.
var hostile = []string{
	`plain`, ``, `"`, `\`, `\"`, `"} or vector(1) #`, "`", "'", "a\nb", "\x00", "\xff\xfe", `{}`, `}[1h]`, `$window`, `.*|x`,
	`é世界🙂`, `le`, `+Inf`, strings.Repeat(`\"`, 300),
}

// hostileNames are metric and label names, words of PromQL among them.
var hostileNames = []string{
	"http_client_request_duration_seconds", "job:latency:sum", "http.client.duration", "a b", `a"b`, `a\b`, "a{b}", "é",
	"sum", "by", "on", "and", "unless", "offset", "inf", "nan", "NaN", "Inf", "bool", "ignoring", "group_left", "start", "rate", "1st", "_",
}

// allQueries returns every query that a dependency on such a histogram sends.
func allQueries(l config.Latency) []latency.Query {
	queries := []latency.Query{printed(purposeScrapes, scrapesQuery(l, time.Hour)), namesQuery(l, time.Hour)}
	for _, f := range []form{classic, native} {
		queries = append(queries, printed(purposeBuckets, bucketsQuery(f, l, 5*time.Minute)), printed(purposeQuantiles, quantilesQuery(f, l, time.Hour)))
		if l.ReplicaLabel != "" {
			queries = append(queries, printed(purposeReplicas, replicasQuery(f, l, time.Hour)))
		}
	}
	return append(queries, printed(purposeSummary, summaryQuery(l)))
}

// matchersOf parses a query and returns the matchers of each selector in it.
func matchersOf(t *testing.T, promQL string) [][]string {
	t.Helper()
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(promQL)
	if err != nil {
		t.Fatalf("%s does not parse: %v", promQL, err)
	}
	if again := expr.String(); again != promQL {
		t.Fatalf("%s is read as %s", promQL, again)
	}
	var found [][]string
	for _, selector := range parser.ExtractSelectors(expr) {
		var texts []string
		for _, m := range selector {
			texts = append(texts, fmt.Sprintf("%q %v %q", m.Name, m.Type, m.Value))
		}
		found = append(found, texts)
	}
	return found
}

func TestMatchersSurviveThePrinting(t *testing.T) {
	for _, name := range hostileNames {
		for _, value := range hostile {
			own := []*labels.Matcher{
				labels.MustNewMatcher(labels.MatchEqual, name, value),
				labels.MustNewMatcher(labels.MatchNotEqual, "plain", value),
			}
			l := config.Latency{Histogram: name, Matchers: own, Kind: "auto", ReplicaLabel: name}
			if strings.EqualFold(name, "inf") || strings.EqualFold(name, "nan") {
				l.ReplicaLabel = "" // numbers to PromQL; the configuration refuses them
			}
			for _, q := range allQueries(l) {
				for _, selector := range matchersOf(t, q.Text()) {
					checkSelector(t, q.Text(), selector, own)
				}
			}
		}
	}
}

// checkSelector demands the given matchers, one for the name, at most one for
// le or quantile and nothing else.
func checkSelector(t *testing.T, promQL string, selector []string, own []*labels.Matcher) {
	t.Helper()
	left := map[string]int{}
	for _, text := range selector {
		left[text]++
	}
	for _, m := range own {
		text := fmt.Sprintf("%q %v %q", m.Name, m.Type, m.Value)
		if left[text] == 0 {
			t.Fatalf("%s lost the matcher %s", promQL, text)
		}
		left[text]--
	}
	others := 0
	for text, n := range left {
		if !strings.HasPrefix(text, `"__name__" `) && text != `"le" = "+Inf"` && !strings.HasPrefix(text, `"quantile" =~ `) {
			others += n
		}
	}
	if others > 0 || len(selector) > len(own)+2 {
		t.Fatalf("%s has matchers nobody asked for: %q", promQL, selector)
	}
}

func TestMetricNamesSurviveThePrinting(t *testing.T) {
	for _, name := range hostileNames {
		for _, suffix := range []string{"", "_bucket"} {
			got := matchersOf(t, over("rate", series(name+suffix), time.Minute).String())
			want := [][]string{{fmt.Sprintf("%q = %q", "__name__", name+suffix)}}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%q (-want +got):\n%s", name+suffix, d)
			}
		}
	}
}

func TestOffsetAndRangeKeepMilliseconds(t *testing.T) {
	d := 514285 * time.Millisecond
	want := `increase(x[8m34s285ms])`
	if got := over("increase", series("x"), d).String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := before(series("x"), d).String(), `x offset 8m34s285ms`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
