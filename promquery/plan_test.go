package promquery

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The golden file shows every query to the reader of a change.
func TestQueriesAreAsReviewed(t *testing.T) {
	var b strings.Builder
	for _, l := range []config.Latency{
		{Histogram: "http_request_duration_seconds", Kind: "auto", Matchers: []*labels.Matcher{equal("job", "checkout")}, ReplicaLabel: "pod"},
		{Histogram: "http.request.duration", Kind: "classic", Matchers: []*labels.Matcher{equal("server.address", `pay"ments`)}, ReplicaLabel: "pod.name"},
		{Histogram: "latency_seconds", Kind: "native", ReplicaLabel: "stat"},
	} {
		fmt.Fprintf(&b, "# %s, kind %s\n", selectorText(l), l.Kind)
		for _, q := range append([]latency.Query{printed(purposeScrapes, scrapesQuery(l, time.Hour)), namesQuery(l, time.Hour)}, perForm(l)...) {
			fmt.Fprintf(&b, "%s:\n%s\n", q.Purpose, strings.ReplaceAll(q.Text(), ") or label_replace(", ")\n  or label_replace("))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "# latency_seconds, kind summary\n%s\n", summaryQuery(config.Latency{Histogram: "latency_seconds", Matchers: []*labels.Matcher{equal("job", "checkout")}}))
	golden := filepath.Join("testdata", "queries.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("the queries changed; run go test -update if that is meant (-want +got):\n%s", d)
	}
}

func perForm(l config.Latency) []latency.Query {
	var all []latency.Query
	for _, f := range forms(l.Kind) {
		all = append(all,
			printed(purposeBuckets, bucketsQuery(f, l, time.Hour)),
			printed(purposeParts, partsQuery(f, l, []string{"+Inf", "0.5", "1.0", "1"}, 5*time.Minute)),
			printed(purposeQuantiles, quantilesQuery(f, l, time.Hour)),
			printed(purposeReplicas, replicasQuery(f, l, time.Hour)))
	}
	return all
}

func printed(purpose string, expr parser.Expr) latency.Query {
	return latency.Query{Purpose: purpose, PromQL: expr}
}

func TestWordsAreTheParsersOwn(t *testing.T) {
	l := config.Latency{Histogram: "http_seconds", Kind: "auto", Matchers: []*labels.Matcher{equal("job", `a "or" b`)}, ReplicaLabel: "pod"}
	all := []parser.Expr{scrapesQuery(l, time.Hour), series("up"), summaryQuery(l)}
	for _, f := range forms(l.Kind) {
		all = append(all, bucketsQuery(f, l, time.Hour), quantilesQuery(f, l, time.Hour), replicasQuery(f, l, time.Hour))
	}
	for _, expr := range all {
		if got := inWords(expr); got != expr.String() {
			t.Errorf("got  %s\nwant %s", got, expr)
		}
	}
}

func TestLongMatchersAreSpelledAsTheParserSpellsThem(t *testing.T) {
	var values []string
	for i := range 60 {
		values = append(values, fmt.Sprintf(`p"%d"\.é%c`, i, rune(0x4e16+i)))
	}
	matchers := []*labels.Matcher{oneOf("peer", values), oneOf("zone", []string{"a"}), oneOf("http.route", values)}
	l := config.Latency{Histogram: "http_seconds", Kind: "auto"}
	short, long := shortened(matchers)
	l.Matchers = matchers
	want := scrapesQuery(l, time.Hour).String()
	l.Matchers = short
	if got := long.Replace(inWords(scrapesQuery(l, time.Hour))); got != want || len(inWords(scrapesQuery(l, time.Hour))) > len(want)/4 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestGridEndsAtTheMomentAskedAbout(t *testing.T) {
	at := time.Date(2024, 5, 1, 12, 0, 0, 123e6, time.UTC)
	g := windowGrid(at, time.Hour, 7)
	if g.n != 14 || g.step != 514285*time.Millisecond {
		t.Fatalf("got %d moments %s apart, want 14 and 8m34.285s", g.n, g.step)
	}
	if last := g.time(13); !last.Equal(at) {
		t.Errorf("the last moment is %s, want %s", last, at)
	}
	for i := range g.n {
		if moment := g.time(i); moment.Nanosecond()%1e6 != 0 {
			t.Errorf("moment %d is %s, not a whole millisecond", i, moment)
		}
	}
}

func TestWindowIsFilledInBeforeParsing(t *testing.T) {
	dep := config.Dependency{Window: 90 * time.Minute}
	dep.Observed.Timeouts = `sum(rate(timeouts_total{why="$window"}[$window]))`
	dep.ErrorRatio.Query = `sum(rate(e[$window])) / sum(rate(a[$window]))`
	own, err := configured(dep)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range own {
		got = append(got, a.key+" "+a.query.Purpose+" "+a.query.Text())
	}
	want := []string{
		`error_ratio error-ratio sum(rate(e[1h30m])) / sum(rate(a[1h30m]))`,
		`observed.timeouts observed-timeouts sum(rate(timeouts_total{why="1h30m"}[1h30m]))`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestExpressionThatDoesNotParseIsSaid(t *testing.T) {
	dep := config.Dependency{Window: time.Hour}
	dep.Observed.Calls = `sum(rate(x[$windows]))`
	_, err := configured(dep)
	if err == nil || err.Kind != KindBadQuery || !strings.HasPrefix(err.Message, "observed.calls is not valid PromQL") {
		t.Errorf("got %v", err)
	}
}
