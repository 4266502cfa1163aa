package latency

import (
	"math"
	"math/rand/v2"
	"slices"
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

// A verdict at another time than the timeout is what a reading of its own gives,
// without the figures of one.
func TestVerdictAtAnotherTimeIsThatOfAReadingOfItsOwn(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 12))
	verdicts := map[Verdict]int{}
	for range 400 {
		h := Histogram{Scheme: Classic}
		lower := 0.0
		for _, upper := range append(slices.Clone(layoutDefault), math.Inf(1)) {
			count := math.Floor(math.Exp(7*random.Float64())) - 1
			h.Bins = append(h.Bins, Bin{lower, upper, count})
			lower = upper
		}
		o := snapshot(h)
		if random.IntN(4) == 0 {
			o.Before.Parts = append(slices.Clone(o.Before.Parts), Histogram{Scheme: Classic, Bins: []Bin{{0, 1, -3}}})
		}
		tail := ReadTail(o, TailOptions{Timeout: 1})
		for _, at := range []float64{0.003, 0.01, 0.7, 1, 9, 11} {
			for _, threshold := range []float64{0.5, 0.1, 0.01} {
				got := tail.CompareAt(o, at, threshold)
				if want := ReadTail(o, TailOptions{Timeout: at, Recording: RecordingUncensored}).Compare(threshold); got != want {
					t.Fatalf("P(X > %g) and %g: %s, want %s for %v", at, threshold, got, want, h.Bins)
				}
				verdicts[got]++
			}
		}
	}
	if len(verdicts) < 3 {
		t.Errorf("not every verdict came up: %v", verdicts)
	}
}

// The search for what other bins put into one may end early: what is filled in
// only grows.
func TestFilledBinOnlyGrows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 200 {
		l := Lognormal{Mu: math.Log(0.02 + random.Float64()), Sigma: 0.3 + 1.2*random.Float64()}
		h := Histogram{Scheme: Classic}
		lower := 0.0
		for _, upper := range append(slices.Clone(layoutDefault), math.Inf(1)) {
			share := l.Survival(lower) - l.Survival(upper)
			h.Bins = append(h.Bins, Bin{lower, upper, math.Floor(1e5 * share * (0.5 + random.Float64()))})
			lower = upper
		}
		i := 1 + random.IntN(len(layoutDefault)-1)
		rest := h.Total() - h.Bins[i].Count
		for last, round := 0.0, 0; round < 30; round++ {
			h.Bins[i].Count = last
			fit, err := fitCells(h.cells(), math.Inf(1))
			if err != nil {
				break
			}
			share := fit.Survival(h.Bins[i].Lower) - fit.Survival(h.Bins[i].Upper)
			expected := rest * share / (1 - share)
			if expected < last*(1-1e-9) {
				t.Fatalf("bin %d of %v: %g after %g", i, h.Bins, expected, last)
			}
			last = expected
		}
	}
}
