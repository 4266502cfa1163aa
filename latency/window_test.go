package latency

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func native(bins ...Bin) Histogram { return Histogram{Scheme: Exponential, Bins: bins} }

func TestMergedAddsUpTheParts(t *testing.T) {
	one, two := 1.5, 2.0
	a, b := binned([]float64{.1, .2}, []float64{1, 2, 3}), binned([]float64{.1, .2}, []float64{4, 0, .5})
	a.Sum, b.Sum = &one, &two
	got, err := Window{Parts: []Histogram{a, {}, b}}.Merged()
	want := binned([]float64{.1, .2}, []float64{5, 2, 3.5})
	sum := 3.5
	want.Sum = &sum
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if a.Bins[0].Count != 1 {
		t.Error("a part was written to")
	}
}

func TestMergedForgetsTheSumThatAPartLacks(t *testing.T) {
	one := 1.0
	a, b := binned([]float64{1}, []float64{1, 0}), binned([]float64{1}, []float64{1, 0})
	a.Sum = &one
	for _, parts := range [][]Histogram{{a, b}, {b, a}} {
		if got, err := (Window{Parts: parts}).Merged(); err != nil || got.Sum != nil {
			t.Errorf("%v %v, want no sum", got.Sum, err)
		}
	}
}

func TestPartsWithOtherBoundsAreRefused(t *testing.T) {
	for name, other := range map[string]Histogram{
		"another bound": binned([]float64{.1, .3}, []float64{1, 1, 1}),
		"a bound less":  binned([]float64{.1}, []float64{1, 1}),
		"native":        native(Bin{.1, .2, 1}),
	} {
		w := Window{Parts: []Histogram{binned([]float64{.1, .2}, []float64{1, 1, 1}), other}}
		if _, err := w.Merged(); !errors.Is(err, ErrMixedBuckets) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNativePartsAreUnited(t *testing.T) {
	for name, c := range map[string]struct{ a, b, want Histogram }{
		"disjoint bins": {
			native(Bin{1, 2, 3}, Bin{4, 8, 1}), native(Bin{2, 4, 5}),
			native(Bin{1, 2, 3}, Bin{2, 4, 5}, Bin{4, 8, 1}),
		},
		"a finer layout goes into the coarser": {
			native(Bin{1, math.Sqrt2, 3}, Bin{math.Sqrt2, 2, 4}), native(Bin{1, 2, 5}),
			native(Bin{1, 2, 12}),
		},
		"a wider zero bucket takes what it covers": {
			native(Bin{0, .001, 2}, Bin{1, 2, 1}), native(Bin{.0005, .001, 3}),
			native(Bin{0, .001, 5}, Bin{1, 2, 1}),
		},
	} {
		got, err := Window{Parts: []Histogram{c.a, c.b}}.Merged()
		got.Sum = nil
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestHonestFactor(t *testing.T) {
	for _, c := range []struct{ scrapes, want float64 }{
		{0, 0}, {1, 0}, {-3, 0}, {math.NaN(), 0}, {2, 1. / 3}, {5, 4. / 6}, {20, 19. / 21}, {math.Inf(1), 1},
	} {
		if got := (Window{Scrapes: c.scrapes}).Honest(); got != c.want {
			t.Errorf("%g: %g, want %g", c.scrapes, got, c.want)
		}
	}
	if got := (Window{Scrapes: 5, Parts: make([]Histogram, 12)}).TotalScrapes(); got != 60 {
		t.Errorf("%g scrapes, want 60", got)
	}
	if got := (Window{Scrapes: math.Inf(1)}).TotalScrapes(); got != 0 {
		t.Errorf("%g scrapes in no part, want 0", got)
	}
}
