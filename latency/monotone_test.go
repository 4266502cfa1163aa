package latency

import (
	"math"
	"testing"
)

// What is above a threshold is above every lower one: a timeout below p99 cuts
// off more than any stricter target allows too, however few the calls.
func TestVerdictIsMonotoneInItsThreshold(t *testing.T) {
	for _, n := range []float64{50, 299, 500, 1000, 2995, 10000} {
		for _, above := range []float64{0, 3, 12, 30, 60, 400} {
			if above > n {
				continue
			}
			for _, parts := range []int{1, 2, 12} {
				e := Evidence{Above: above, Possible: above, Total: n, Dispersion: 1, PartsWithAbove: min(parts, int(math.Ceil(above)))}
				fired := false
				for _, threshold := range []float64{0.2, 0.05, 0.01, 0.003, 0.001, 0.0001} {
					verdict := Reading{Now: e}.Compare(threshold)
					if fired && verdict != VerdictAbove {
						t.Errorf("%v of %v in %d parts: %s at %v, though above a higher threshold", above, n, parts, verdict, threshold)
					}
					fired = fired || verdict == VerdictAbove
				}
			}
		}
	}
}

func TestYoungWindowIsFilledFromItsFirstCalls(t *testing.T) {
	full := Histogram{Scheme: Classic, Bins: []Bin{{0, 1, 5}, {1, math.Inf(1), 0}}}
	for _, tc := range []struct {
		parts []Histogram
		want  float64
	}{
		{[]Histogram{full, full}, 1},
		{[]Histogram{{}, {}, full, {}}, 0.5},
		{[]Histogram{{}, {}}, 1},
		{nil, 1},
	} {
		if got := (Window{Parts: tc.parts}).Filled(); got != tc.want {
			t.Errorf("%d parts: filled %v, want %v", len(tc.parts), got, tc.want)
		}
	}
}
