package promquery_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// replicated returns a dependency whose replicas are told apart.
func replicated(histogram, label string) config.Dependency {
	dep := dependency(histogram)
	dep.Latency.ReplicaLabel = label
	return dep
}

// classicReplica is a replica with one bound at 0.1 s.
func classicReplica(name string, fast, slow, scrapes float64) latency.Replica {
	return latency.Replica{Name: name, Scrapes: scrapes, Histogram: latency.Histogram{
		Scheme: latency.Classic,
		Bins:   []latency.Bin{{Upper: 0.1, Count: fast}, {Lower: 0.1, Upper: infinity, Count: slow}},
	}}
}

func TestReplicasAreReadByTheirLabel(t *testing.T) {
	o := observed(t, fake{}, replicated("a_seconds", "pod"))
	diff(t, "replicas", []latency.Replica{classicReplica("a", 360, 40, 240), classicReplica("b", 10, 30, 24)}, o.Replicas)
	if last := o.Queries[len(o.Queries)-3]; last.Purpose != "replicas" || !strings.Contains(last.Text(), "by (le, pod)") || last.Step != 0 {
		t.Errorf("asked %+v, want an instant query by pod", last)
	}
	if plain := observed(t, fake{}, dependency("a_seconds")); plain.Replicas != nil || len(plain.Queries) != 4 {
		t.Errorf("replicas are asked for without a label: %+v", plain.Queries)
	}
}

func TestReplicaThatCannotBeReadIsANote(t *testing.T) {
	for name, tc := range map[string]struct {
		changes []string
		says    string
	}{
		"counts that fall":    {[]string{`"le":"0.1","pod":"b"`, "41"}, `replica "b" cannot be read: the buckets are no histogram`},
		"no +Inf bucket":      {[]string{`"le":"+Inf","pod":"b"`, ""}, `replica "b" cannot be read: the buckets are no histogram`},
		"a bound of no worth": {[]string{`"le":"fast","pod":"b"`, "7"}, `replica "b" cannot be read: not a histogram: a bucket has the bound le="fast"`},
		"an infinite count":   {[]string{`"le":"+Inf","pod":"b"`, "+Inf"}, `replica "b" cannot be read`},
	} {
		t.Run(name, func(t *testing.T) {
			o := observed(t, fake{replicas: vector(with(healthyReplicas, tc.changes...))}, replicated("bad_seconds", "pod"))
			diff(t, "replicas", []latency.Replica{classicReplica("a", 360, 40, 240)}, o.Replicas)
			if len(o.Notes) != 1 || !strings.Contains(o.Notes[0], tc.says) {
				t.Errorf("notes %q, want %q", o.Notes, tc.says)
			}
		})
	}
}

func TestNotesAboutManyReplicasAreFew(t *testing.T) {
	answer := map[string]string{}
	for i := range 20 {
		answer[fmt.Sprintf(`"le":"1","pod":"%02d"`, i)] = "5"
	}
	o := observed(t, fake{replicas: vector(answer)}, replicated("bad_seconds", "pod"))
	if len(o.Notes) != 4 || o.Notes[3] != "and 17 replicas more cannot be read" || len(o.Replicas) != 0 {
		t.Errorf("%d replicas, notes %q", len(o.Replicas), o.Notes)
	}
}

func TestReplicaWithoutCountsIsLeftOut(t *testing.T) {
	o := observed(t, fake{replicas: vector(with(healthyReplicas,
		`"le":"0.1","pod":"b"`, "NaN", `"le":"+Inf","pod":"b"`, "NaN", `"le":"samples","pod":"c"`, "1"))}, replicated("bad_seconds", "pod"))
	if len(o.Replicas) != 1 || len(o.Notes) != 0 {
		t.Errorf("replicas %+v, notes %q; want a alone", o.Replicas, o.Notes)
	}
}

func TestReplicaWithoutNumberOfSamplesHasThatOfTheFleet(t *testing.T) {
	o := observed(t, fake{replicas: vector(with(healthyReplicas, `"le":"samples","pod":"b"`, ""))}, replicated("bad_seconds", "pod"))
	if len(o.Replicas) != 2 || o.Replicas[1].Scrapes != 240 {
		t.Errorf("got %+v, want 240 samples", o.Replicas)
	}
}

func TestSeriesWithoutTheReplicaLabel(t *testing.T) {
	t.Run("some", func(t *testing.T) {
		o := observed(t, fake{replicas: vector(with(healthyReplicas, `"le":"0.1"`, "1", `"le":"+Inf"`, "2", `"le":"samples"`, "9"))}, replicated("bad_seconds", "pod"))
		if len(o.Replicas) != 3 || o.Replicas[0].Name != "" || o.Replicas[0].Scrapes != 9 || len(o.Notes) != 0 {
			t.Errorf("got %+v, notes %q", o.Replicas, o.Notes)
		}
	})
	t.Run("all", func(t *testing.T) {
		o := observed(t, fake{replicas: vector(map[string]string{`"le":"0.1"`: "1", `"le":"+Inf"`: "2"})}, replicated("bad_seconds", "pod"))
		diff(t, "notes", []string{"no series has the label pod of latency.replica_label, so no replica can be told from another"}, o.Notes)
	})
}

// Label and value that the other queries use for their own ends.
func TestReplicaLabelThatIsCalledStat(t *testing.T) {
	o := observed(t, fake{replicas: vector(map[string]string{
		`"le":"0.1","stat":"sum"`: "10", `"le":"+Inf","stat":"sum"`: "40", `"le":"samples","stat":"sum"`: "24",
	})}, replicated("bad_seconds", "stat"))
	diff(t, "replicas", []latency.Replica{classicReplica("sum", 10, 30, 24)}, o.Replicas)
}

func TestReplicasBeyondTheLimitAreTheIdlestOnes(t *testing.T) {
	answer := map[string]string{}
	for i := range 503 {
		answer[fmt.Sprintf(`"le":"+Inf","pod":"%03d"`, i)] = fmt.Sprint(1000 + i)
	}
	o := observed(t, fake{replicas: vector(answer)}, replicated("bad_seconds", "pod"))
	if len(o.Replicas) != 500 || o.Replicas[0].Name != "003" || o.Replicas[499].Name != "502" {
		t.Errorf("%d replicas from %s on, want 500 from 003 to 502", len(o.Replicas), o.Replicas[0].Name)
	}
	diff(t, "notes", []string{"503 replicas by pod, of which the 500 with the most calls are compared"}, o.Notes)
}

func TestNativeReplicas(t *testing.T) {
	element := func(pod, histogram string) string {
		return fmt.Sprintf(`{"metric":{"pod":%q},"histogram":[1714564800,%s]}`, pod, histogram)
	}
	negative := strings.Replace(exponentialSample, `[0,"0.5","1","60"]`, `[0,"0.5","1","-60"]`, 1)
	f := fake{
		scrapes: vector(map[string]string{`"stat":"native samples"`: "240", `"stat":"native series"`: "1"}),
		buckets: nativeMatrix("", exponentialSample),
		replicas: success(`{"resultType":"vector","result":[` + strings.Join([]string{
			element("a", exponentialSample), element("b", negative),
			`{"metric":{"pod":"a","le":"samples"},"value":[1714564800,"120"]}`,
			`{"metric":{"pod":"gauge"},"value":[1714564800,"3"]}`,
		}, ",") + `]}`),
	}
	dep := replicated("bad_milliseconds", "pod")
	dep.Latency.UnitScale = 0.001
	o := observed(t, f, dep)
	if len(o.Replicas) != 1 || o.Replicas[0].Name != "a" || o.Replicas[0].Scrapes != 120 {
		t.Fatalf("replicas %+v, want a with 120 samples", o.Replicas)
	}
	h := o.Replicas[0].Histogram
	if h.Scheme != latency.Exponential || h.Total() != 103 || h.Bins[2].Upper != 0.001 {
		t.Errorf("got %+v, want 103 calls in exponential bins of seconds", h)
	}
	if len(o.Notes) != 2 || !strings.Contains(o.Notes[0], `"b" cannot be read`) || !strings.Contains(o.Notes[1], `"gauge" cannot be read`) {
		t.Errorf("notes %q, want one about b and one about gauge", o.Notes)
	}
}

// Without its answer nobody can say that no replica is slow.
func TestReplicasQueryThatFailsIsAnError(t *testing.T) {
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		kind   promquery.Kind
	}{
		"not answered": {text(503, "text/plain", ""), promquery.KindServerError},
		"nonsense":     {matrix(nil), promquery.KindMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			r := observe(t, fake{replicas: tc.answer}, replicated("bad_seconds", "pod"))
			wantError(t, r.Err, tc.kind, "replicas query: ")
			if len(r.Observation.Now.Parts) != 12 {
				t.Error("the histogram is lost, which was answered well")
			}
		})
	}
}
