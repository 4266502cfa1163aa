package latency

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFromCumulativeTakesTheInfBucketEitherWay(t *testing.T) {
	want := Histogram{Scheme: Classic, Bins: []Bin{{0, .1, 3}, {.1, .2, 0}, {.2, math.Inf(1), 2.5}}}
	for name, bounds := range map[string][]float64{
		"named":   {.1, .2, math.Inf(1)},
		"implied": {.1, .2},
	} {
		got, err := FromCumulative(bounds, []float64{3, 3, 5.5})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestFirstBinIsOpenBelowUnlessItEndsAboveZero(t *testing.T) {
	h, err := FromCumulative([]float64{0, 5}, []float64{1, 3, 3})
	if err != nil || h.Bins[0].Lower != math.Inf(-1) || h.Bins[1].Lower != 0 {
		t.Errorf("%v %v", h.Bins, err)
	}
}

func TestFromCumulativeLeavesItsArgumentsAlone(t *testing.T) {
	bounds := make([]float64, 2, 8)
	bounds[0], bounds[1] = 1, 2
	cumulative := []float64{1, 1 - 1e-14, 2}
	if _, err := FromCumulative(bounds, cumulative); err != nil {
		t.Fatal(err)
	}
	if bounds[:3][2] != 0 || cumulative[1] != 1-1e-14 {
		t.Error("an argument was written to")
	}
}

func TestFloatNoiseIsSmoothed(t *testing.T) {
	for name, counts := range map[string][]float64{
		"falls": {1e6, 1e6 * (1 - 1e-13), 1e6, 2e6},
		"rises": {1e6, 1e6 * (1 + 1e-13), 1e6, 2e6},
	} {
		h, err := FromCumulative([]float64{1, 2, 3}, counts)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if h.Bins[1].Count != 0 || h.Bins[2].Count != 0 || h.Bins[3].Count != 1e6 {
			t.Errorf("%s: %v", name, h.Bins)
		}
	}
}

func TestFallingCountsNameTheBound(t *testing.T) {
	_, err := FromCumulative([]float64{.1, .25, .5}, []float64{10, 9, 20, 20})
	var fall *NonMonotonicError
	if !errors.Is(err, ErrNonMonotonic) || !errors.As(err, &fall) {
		t.Fatalf("%v, want a NonMonotonicError", err)
	}
	if want := (NonMonotonicError{Bound: .25, Count: 9, LowerBound: .1, LowerBoundSum: 10}); *fall != want {
		t.Errorf("%+v, want %+v", *fall, want)
	}
	if text := err.Error(); !strings.Contains(text, "le=0.25") || !strings.Contains(text, "le=0.1") {
		t.Errorf("the message names no bound: %s", text)
	}
	if _, err := FromCumulative([]float64{1}, []float64{5, 4}); !errors.Is(err, ErrNonMonotonic) || !strings.Contains(err.Error(), "+Inf") {
		t.Errorf("%v, want the +Inf bucket named", err)
	}
}

func TestWhatIsNoHistogramIsRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		bounds, counts []float64
		want           error
	}{
		"nothing":              {nil, nil, ErrNoInfBucket},
		"no +Inf":              {[]float64{1, 2}, []float64{1, 2}, ErrNoInfBucket},
		"bounds out of order":  {[]float64{2, 1, inf}, []float64{1, 2, 3}, ErrBucketBound},
		"bound twice":          {[]float64{1, 1, inf}, []float64{1, 2, 3}, ErrBucketBound},
		"bound NaN":            {[]float64{nan, inf}, []float64{1, 2}, ErrBucketBound},
		"+Inf twice":           {[]float64{inf}, []float64{1, 2}, ErrBucketBound},
		"too many counts":      {[]float64{1}, []float64{1, 2, 3}, ErrBucketBound},
		"count NaN":            {[]float64{1}, []float64{nan, 2}, ErrBucketCount},
		"count infinite":       {[]float64{1}, []float64{1, inf}, ErrBucketCount},
		"count negative":       {[]float64{1}, []float64{-1, 2}, ErrBucketCount},
		"count negative later": {[]float64{1}, []float64{0, -1e-9}, ErrBucketCount},
	} {
		if _, err := FromCumulative(c.bounds, c.counts); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
