package report_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

func TestQueriesInTheDocumentCanBeAskedAgain(t *testing.T) {
	at := reporttest.Start
	berlin := time.FixedZone("", 2*60*60)
	in := reporttest.Seen(reporttest.Dependency("a"), at, 36000, 0)
	in.Observation.Queries = []latency.Query{
		{Purpose: "instant", PromQL: latency.Words("x")},
		{Purpose: "range", PromQL: latency.Words("y"), Start: at.Add(-1500 * time.Millisecond).In(berlin), End: at, Step: 500 * time.Millisecond},
		{Purpose: "instant at another time", PromQL: latency.Words("z"), Start: at.Add(-time.Hour), End: at.Add(-time.Hour)},
	}
	got, err := json.Marshal(reporttest.Cycle(nil, at, in).Document().Dependencies[0].Queries)
	if err != nil {
		t.Fatal(err)
	}
	stamp := func(back time.Duration) string { return at.Add(-back).UTC().Format(time.RFC3339Nano) }
	want := `[{"purpose":"instant","promql":"x"},` +
		`{"purpose":"range","promql":"y","start":"` + stamp(1500*time.Millisecond) + `","end":"` + stamp(0) + `","step_seconds":0.5},` +
		`{"purpose":"instant at another time","promql":"z","start":"` + stamp(time.Hour) + `","end":"` + stamp(time.Hour) + `"}]`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
