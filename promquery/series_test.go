package promquery_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// Two auditors export the same figures: the larger one counts. Neither a metric
// that is not asked for nor another dependency is in the answer, and a metric
// that was not there half of the time has samples for the other half.
func TestSeriesOfARealPrometheus(t *testing.T) {
	b := &backfill{}
	own := `dependency="` + escaped(hostileValue) + `"`
	constant := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	b.add("auditor_p99", own+`,instance="a"`, quarterly, constant(0.3))
	b.add("auditor_p99", own+`,instance="b"`, quarterly, constant(0.4))
	b.add("auditor_p99", `dependency="other"`, quarterly, constant(9))
	b.add("auditor_p99_more", own, quarterly, constant(7))
	b.add("auditor_ratio", own, every{step: 15 * time.Second, from: 30 * time.Minute}, constant(0.01))
	prometheus := b.start(t)

	answer, err := client(t, prometheus.URL, nil).Series(t.Context(), promquery.SeriesQuestion{
		Names: []string{"auditor_p99", "auditor_ratio", "auditor_absent"}, Label: "dependency", Value: hostileValue,
		Start: evening.Add(-time.Hour), End: evening, Step: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	p99, ratio := answer.Samples["auditor_p99"], answer.Samples["auditor_ratio"]
	if len(answer.Samples) != 2 || len(p99) != 61 || len(ratio) != 31 {
		t.Fatalf("%d metrics, %d and %d samples, want 2, 61 and 31", len(answer.Samples), len(p99), len(ratio))
	}
	if first := p99[0]; first.Value != 0.4 || !first.At.Equal(evening.Add(-time.Hour)) {
		t.Errorf("the first sample is %+v", first)
	}
}

func TestSeriesSaysWhatFailed(t *testing.T) {
	url := serve(t, text(http.StatusServiceUnavailable, "text/plain", "out of order"))
	_, err := client(t, url, nil).Series(t.Context(), promquery.SeriesQuestion{
		Names: []string{"up"}, Label: "job", Value: "x", Start: noon.Add(-time.Hour), End: noon, Step: time.Minute,
	})
	if err == nil || !strings.Contains(err.Error(), "history query") || !strings.Contains(err.Error(), "503") {
		t.Errorf("got %v", err)
	}
}
