package latency

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

// prometheusCase is what Prometheus 3.16 itself answers for a histogram: its
// BucketQuantile and HistogramQuantile, and 1 − histogram_fraction(-Inf, t).
type prometheusCase struct {
	Name           string
	Scheme         Scheme
	Bins           [][3]any // lower, upper, count
	Quantiles      [][2]float64
	FractionsAbove [][2]float64 `json:"fractions_above"`
}

func (c prometheusCase) histogram(t *testing.T) Histogram {
	t.Helper()
	h := Histogram{Scheme: c.Scheme}
	for _, b := range c.Bins {
		h.Bins = append(h.Bins, Bin{bound(t, b[0]), bound(t, b[1]), bound(t, b[2])})
	}
	return h
}

func bound(t *testing.T, v any) float64 {
	t.Helper()
	if v == "-Inf" {
		return math.Inf(-1)
	}
	return num(t, v)
}

func readPrometheusCases(t *testing.T) []prometheusCase {
	t.Helper()
	text, err := os.ReadFile("testdata/prometheus_quantiles.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []prometheusCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 20 {
		t.Fatalf("%d cases", len(cases))
	}
	return cases
}

func near(a, b, relative float64) bool {
	return a == b || math.Abs(a-b) <= relative*max(math.Abs(a), math.Abs(b), 1e-300)
}

func TestQuantileAgreesWithPrometheus(t *testing.T) {
	for _, c := range readPrometheusCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			h := c.histogram(t)
			for _, point := range c.Quantiles {
				got, _ := h.Quantile(point[0])
				if !near(got, point[1], 1e-12) {
					t.Errorf("quantile %g = %v, Prometheus says %v", point[0], got, point[1])
				}
			}
		})
	}
}

func TestFractionAboveAgreesWithPrometheus(t *testing.T) {
	for _, c := range readPrometheusCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			h := c.histogram(t)
			for _, point := range c.FractionsAbove {
				// 1 − fraction has an absolute precision only.
				if got := h.FractionAbove(point[0]); math.Abs(got-point[1]) > 1e-12 {
					t.Errorf("above %g: %v, Prometheus says %v", point[0], got, point[1])
				}
			}
		})
	}
}

func TestQuantileInTheInfBucketIsALowerBound(t *testing.T) {
	h := binned([]float64{1, 10}, []float64{50, 42, 8})
	if got, bounded := h.Quantile(0.99); got != 10 || bounded {
		t.Errorf("p99 = %v, bounded %v; want at least 10", got, bounded)
	}
	if got, bounded := h.Quantile(0.92); got != 10 || !bounded {
		t.Errorf("p92 = %v, bounded %v; want exactly 10", got, bounded)
	}
}

func TestQuantileWithoutAnAnswerIsZeroAndFalse(t *testing.T) {
	full := binned([]float64{1}, []float64{1, 1})
	for name, got := range map[string]func() (float64, bool){
		"no bins":        func() (float64, bool) { return Histogram{}.Quantile(0.5) },
		"all zero":       func() (float64, bool) { return binned([]float64{1, 2}, []float64{0, 0, 0}).Quantile(0.5) },
		"q is NaN":       func() (float64, bool) { return full.Quantile(math.NaN()) },
		"q above 1":      func() (float64, bool) { return full.Quantile(1.1) },
		"q below 0":      func() (float64, bool) { return full.Quantile(-0.1) },
		"only +Inf bins": func() (float64, bool) { return binned(nil, []float64{3}).Quantile(0.5) },
	} {
		if value, ok := got(); value != 0 || ok {
			t.Errorf("%s: %v, %v; want 0, false", name, value, ok)
		}
	}
}

func TestCountAboveKnowsTheBinThatHoldsT(t *testing.T) {
	h := binned([]float64{.2, .3, .7}, []float64{10, 20, 30, 40})
	for _, c := range []struct{ t, sure, possible float64 }{
		{.1, 90, 100},
		{.2, 90, 90},
		{.25, 70, 90},
		{.3, 70, 70},
		{700 * 0.001, 40, 40}, // 0.7000000000000001
		{5, 0, 40},
		{0, 100, 100},
		{-1, 100, 100},
	} {
		if sure, possible := h.CountAbove(c.t); sure != c.sure || possible != c.possible {
			t.Errorf("above %g: %g to %g, want %g to %g", c.t, sure, possible, c.sure, c.possible)
		}
	}
}

func TestMeanNeedsASum(t *testing.T) {
	sum, nan := 5.0, math.NaN()
	h := binned([]float64{1}, []float64{4, 6})
	if _, ok := h.Mean(); ok {
		t.Error("a mean without a sum")
	}
	if h.Sum = &nan; true {
		if _, ok := h.Mean(); ok {
			t.Error("a mean of a NaN sum")
		}
	}
	h.Sum = &sum
	if mean, ok := h.Mean(); !ok || mean != 0.5 {
		t.Errorf("mean %v, %v; want 0.5", mean, ok)
	}
}

func FuzzQuantile(f *testing.F) {
	f.Add(0.99, uint8(3), 1.0, 2.0, 3.0, 4.0)
	f.Add(0.5, uint8(1), 0.0, 0.0, 0.0, 0.0)
	f.Add(math.NaN(), uint8(2), 1e15, 1e-300, 0.5, 0.0)
	f.Fuzz(func(t *testing.T, q float64, scheme uint8, a, b, c, d float64) {
		h := Histogram{
			Scheme: []Scheme{Classic, Exponential, Custom}[int(scheme)%3],
			Bins:   []Bin{{0, .5, a}, {.5, 1, b}, {2, 4, c}, {4, math.Inf(1), d}},
		}
		if !h.sound() {
			return // not a histogram
		}
		got, bounded := h.Quantile(q)
		if math.IsNaN(got) || math.IsInf(got, 0) || got < 0 || got > 4 {
			t.Errorf("quantile %g of %v = %v", q, h, got)
		}
		if higher, _ := h.Quantile(q + (1-q)/2); bounded && q >= 0 && higher < got*(1-1e-12) && q+(1-q)/2 <= 1 {
			t.Errorf("quantile falls from %v to %v above %g in %s", got, higher, q, fmt.Sprint(h))
		}
	})
}
