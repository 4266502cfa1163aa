package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/config"
)

func scrape(t *testing.T, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	return w.Body.String()
}

func TestExporterServesOneStepForEachScrapeUntilItsHistoryIsComplete(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e := newExporter(3, start, start.Add(step))
	defer e.server.Close()
	var totals []float64
	for range 2 {
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(scrape(t, e.nodes[0])))
		if err != nil {
			t.Fatal(err)
		}
		histograms := families[histogramName].GetMetric()
		if len(histograms) != 3 {
			t.Fatalf("%d dependencies, want 3", len(histograms))
		}
		h := histograms[0]
		if want := start.Add(time.Duration(len(totals)) * step).UnixMilli(); h.GetTimestampMs() != want {
			t.Errorf("scrape %d is of %d, want %d", len(totals), h.GetTimestampMs(), want)
		}
		totals = append(totals, float64(h.GetHistogram().GetSampleCount()))
	}
	if totals[1] <= totals[0] || totals[0] < callsPerStep/2 {
		t.Errorf("counts %v, want them to grow by about %d", totals, callsPerStep)
	}
	if left := scrape(t, e.nodes[0]); left != "" || e.complete() {
		t.Errorf("%q after the end; complete is %t while one replica has not begun", left, e.complete())
	}
	scrape(t, e.nodes[1])
	scrape(t, e.nodes[1])
	if !e.complete() {
		t.Error("not complete after every replica has served all")
	}
}

// A benchmark of a few dependencies goes the whole way, but for the daemon.
func TestCycleIsMeasuredOnARealPrometheus(t *testing.T) {
	f, err := fill(t.Context(), t.TempDir(), 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.server.Stop)
	c, err := config.Parse("bench.yaml", []byte(f.configuration("@every 1m")), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, last, err := measureCycle(context.Background(), f, c)
	if err != nil {
		t.Fatal(err)
	}
	if found.known != 3 || found.queries != 3 || found.cycle <= 0 || found.bare <= 0 || found.alone <= 0 || found.processor <= 0 {
		t.Errorf("got %+v, want three answers by three queries, and every time", found)
	}
	found.exposition = measureExposition(last)
	if found.exposition.bytes == 0 || found.exposition.series < 3*10 {
		t.Errorf("exposition %+v", found.exposition)
	}
	page := render([]cost{found})
	for _, want := range []string{"| queries per cycle | 3 |", "| answered | 3 |", "at most 24 queries per cycle | 3 | met"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

func TestUsageIsToldFromFailure(t *testing.T) {
	if code := run(t.Context(), []string{"--nonsense"}, io.Discard, io.Discard); code != exitUsage {
		t.Errorf("exit %d, want %d", code, exitUsage)
	}
}
