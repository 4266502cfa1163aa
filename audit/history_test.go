package audit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

func TestRecommendationRestsOnTheLargerOfThePooledQuantileAndTheWorstHour(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 2 * time.Second})
	dep.MaxStep = 100
	for name, c := range map[string]struct {
		past     [][]float64
		now      []float64
		says     string
		from, to float64 // the basis
	}{
		"nothing is known of the past": {nil, counts, "the 0.999 quantile of the last 1h alone × (1 + 0.1 headroom)", 2.4, 2.5},
		"nothing changed":              {repeat(168, counts), counts, "the 0.999 quantile of the last 7d × (1 + 0.1 headroom)", 2.4, 2.5},
		"one hour was slow":            {repeat(100, quick, slow), quick, "what the 0.999 quantile of the worst 1h, up to 2026-03-01T12:00Z, surely exceeded × (1 + 0.1 headroom)", 2, 2.5},
		"it is slow just now":          {repeat(100, quick), slow, "what the 0.999 quantile of this window surely exceeds × (1 + 0.1 headroom)", 2, 2.5},
		"the window alone is too thin": {repeat(20, counts), thin(counts, 100), "the 0.999 quantile of the last 20h × (1 + 0.1 headroom)", 2.4, 2.5},
	} {
		t.Run(name, func(t *testing.T) {
			in := audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, c.now)}
			if c.past != nil {
				h := audit.AssessHistory(&dep, hours(t, dep, c.past...))
				in.History = &h
			}
			r := audit.Assess(in).Recommendation
			if r == nil || r.Why != c.says || r.Past != (c.past != nil) || r.Basis == nil || *r.Basis < c.from || *r.Basis > c.to {
				t.Fatalf("%+v, want %q with a basis of %v to %v", r, c.says, c.from, c.to)
			}
		})
	}
}

func thin(counts []float64, by float64) []float64 {
	thinned := slices.Clone(counts)
	for i := range thinned {
		thinned[i] /= by
	}
	return thinned
}

func TestRecommendationIsRefusedWhereThePastEndsBeforeTheQuantile(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 2 * time.Second})
	beyond := slices.Clone(counts)
	beyond[4], beyond[5], beyond[6] = 35800, 35800, 35800 // 200 calls lie beyond 10 s
	h := audit.AssessHistory(&dep, hours(t, dep, repeat(5, counts, beyond)...))
	r := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, quick), History: &h}).Recommendation
	if r.Target != nil || !strings.Contains(r.Why, "beyond the highest finite bucket bound") {
		t.Errorf("recommended %+v", r)
	}
}

func TestHistoryOfAnotherTimeoutIsNotTaken(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 2 * time.Second})
	h := audit.AssessHistory(&dep, hours(t, dep, repeat(24, counts)...))
	changed := dependency(config.Policy{Timeout: time.Second})
	if a := audit.Assess(audit.Input{Dependency: &changed, At: at, Observation: observation(t, bounds, counts), History: &h}); a.History != nil {
		t.Errorf("taken: %+v", a.History)
	}
	if a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts), History: &h}); a.History == nil {
		t.Error("the history of the same timeout is not taken")
	}
}

func TestChangedBucketsArePooled(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 2 * time.Second})
	steps := hours(t, dep, repeat(12, counts)...)
	for i := range steps[:6] {
		steps[i].Observation = observation(t, bounds[2:], counts[2:])
	}
	h := audit.AssessHistory(&dep, steps)
	if h.Steps != 12 || h.Quantile == nil || h.Unbounded || *h.Quantile < 2.4 || *h.Quantile > 2.5 {
		t.Errorf("%+v, quantile %v", h, h.Quantile)
	}
	near(t, "calls", h.Samples, 12*36000, 1e-9)
}

func TestP99IsSetBesideThatOfThePast(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 5 * time.Second})
	nights := append(repeat(8, quick, slow, slow), repeat(8, quick, slow, slow)...)
	for name, c := range map[string]struct {
		past [][]float64
		now  []float64
		says string
	}{
		"as ever":             {repeat(48, counts), counts, "p99 is usual for the last 2d: as high in 48 of 48 windows of 1h"},
		"as in other hours":   {nights, slow, "p99 is usual for the last 20h: as high in 4 of 20 windows of 1h"},
		"slow just now":       {repeat(48, quick), slow, "p99 is new: higher than in all 48 windows of 1h since 2026-02-27T12:00Z (247ms to 247ms)"},
		"slow since an hour":  {repeat(47, quick, slow), slow, "p99 is new since 2026-03-01T11:00Z: lower in all 47 windows of 1h before, back to 2026-02-27T12:00Z"},
		"without a past":      {nil, slow, ""},
		"a past without data": {[][]float64{nil, nil}, slow, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := audit.AssessHistory(&dep, hours(t, dep, c.past...))
			a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, c.now), History: &h})
			says := ""
			for _, note := range a.Notes() {
				if strings.HasPrefix(note, "p99 is") {
					says = note
				}
			}
			if says != c.says {
				t.Errorf("%q, want %q", says, c.says)
			}
		})
	}
}

// A quantile that the past cannot carry is left out and no zero.
func TestHistoryOfFewCallsHasNoQuantile(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 5 * time.Second})
	h := audit.AssessHistory(&dep, hours(t, dep, thin(counts, 100), thin(counts, 100)))
	if h.Quantile != nil || h.Worst != nil || h.Enough != 0 || h.Steps != 2 {
		t.Errorf("%+v", h)
	}
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, thin(counts, 100)), History: &h})
	if a.Recommendation.Target != nil || a.Status == latency.StatusNoData {
		t.Errorf("recommended %+v", a.Recommendation)
	}
}
