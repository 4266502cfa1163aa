package latency

import (
	"math"
	"math/rand/v2"
	"testing"
)

func pareto(least, exponent float64) shape {
	return shape{
		draw:     func(r *rand.Rand) float64 { return least * math.Pow(1-r.Float64(), -1/exponent) },
		survival: func(t float64) float64 { return min(1, math.Pow(least/t, exponent)) },
	}
}

// expected is the histogram that n values up to a timeout make on average.
func (s shape) expected(bounds []float64, timeout, n float64) Histogram {
	counts := make([]float64, len(bounds)+1)
	last := 1.0
	for i, b := range append(bounds[:len(bounds):len(bounds)], math.Inf(1)) {
		above := 0.0
		if b < timeout {
			above = s.survival(b) - s.survival(timeout)
			above /= 1 - s.survival(timeout)
		}
		counts[i] = n * (last - above)
		last = above
	}
	return binned(bounds, counts)
}

// A tail that is concave in log-log falls ever faster, so the power law through
// its last two spans is above it; on a Pareto it is the tail itself.
func TestPowerTailIsAnUpperLimit(t *testing.T) {
	fine := logBounds(.001, 20, 120)
	for name, s := range map[string]shape{
		"narrow": lognormal(.2, .3), "usual": lognormal(.1, .8), "wide": lognormal(.05, 1.5),
		"bounded": uniform(.1, .5), "heavy": pareto(.02, 2), "very heavy": pareto(.01, 1.2),
	} {
		for _, p := range []float64{.2, .05, .01} {
			for _, n := range []float64{1000, 1e5, 1e9} {
				timeout := s.at(p)
				limit := s.expected(fine, timeout, n).powerTailLimit(timeout, clearAt, 1)
				if !(limit >= p*(1-1e-3)) || limit > 1 {
					t.Errorf("%s, p = %g, %g values: limit %g", name, p, n, limit)
				}
			}
		}
	}
	s := pareto(.02, 2)
	timeout := fine[70]
	p := s.survival(timeout)
	if limit := s.expected(fine, timeout, 1e9).powerTailLimit(timeout, clearAt, 1); !near(limit, p, .01) {
		t.Errorf("Pareto, many values: limit %g, want %g", limit, p)
	}
}

func TestPowerTailNeedsAFall(t *testing.T) {
	for name, c := range map[string]struct {
		counts  []float64 // in bins up to 0.1, 0.2, 0.4, 0.8, 1.6 s and beyond
		timeout float64
		atLeast float64
		below   float64 // 0: anything
	}{
		"a fall":                              {[]float64{9000, 900, 90, 10, 0, 0}, .8, 0, .01},
		"a rise towards the timeout":          {[]float64{9000, 900, 20, 80, 0, 0}, .8, 1, 0},
		"level":                               {[]float64{9000, 900, 100, 100, 0, 0}, .8, 1, 0},
		"nothing for long":                    {[]float64{9000, 900, 0, 0, 0, 0}, 1.6, 0, .001},
		"all in the bucket that ends there":   {[]float64{10_000, 0, 0, 0, 0, 0}, .1, 1, 0},
		"all in the bucket with the timeout":  {[]float64{0, 0, 0, 10_000, 0, 0}, .5, 1, 0},
		"too few to rule out a slow fall":     {[]float64{280, 15, 4, 3, 0, 0}, .8, .01, 0},
		"the first bucket has no lower end":   {[]float64{9000, 1000, 0, 0, 0, 0}, .2, 1, 0},
		"no values":                           {[]float64{0, 0, 0, 0, 0, 0}, .8, .5, 0},
		"a timeout just above a bucket bound": {[]float64{9000, 900, 90, 0, 0, 0}, .41, 0, .01},
	} {
		t.Run(name, func(t *testing.T) {
			limit := binned([]float64{.1, .2, .4, .8, 1.6}, c.counts).powerTailLimit(c.timeout, clearAt, 1)
			if !(limit >= c.atLeast && limit <= 1) || c.below > 0 && limit >= c.below {
				t.Errorf("limit %g, want at least %g and below %g", limit, c.atLeast, c.below)
			}
		})
	}
}

func TestPowerTailSeesNothingInAGap(t *testing.T) {
	h := native(Bin{.1, .11, 500}, Bin{.11, .12, 400}, Bin{.12, .13, 100})
	if limit := h.powerTailLimit(.13, clearAt, 1); limit < .01 {
		t.Errorf("at the end of the bins: limit %g", limit)
	}
	if limit := h.powerTailLimit(1, clearAt, 1); limit > .001 {
		t.Errorf("far beyond the bins: limit %g", limit)
	}
}

func TestBurstsWidenThePowerTail(t *testing.T) {
	h := binned([]float64{.1, .2, .4, .8}, []float64{9000, 900, 90, 10, 0})
	if one, many := h.powerTailLimit(.8, clearAt, 1), h.powerTailLimit(.8, clearAt, 5); !(many > 2*one) {
		t.Errorf("limit %g without bursts and %g with", one, many)
	}
}

// Fixed seeds. A lognormal fitted to the bins below bends down where a Pareto
// tail does not: without the power law, most of the small windows would clear a
// timeout that cuts off 2%.
func TestDroppedHeavyTailsNeverClear(t *testing.T) {
	fine := logBounds(.001, 20, 120)
	for i := range 40 {
		for _, n := range []int{1000, 10_000} {
			timeout := fine[40+i]
			heavy := pareto(timeout*math.Sqrt(.02), 2) // 2% lie above the timeout
			e := experiment{bounds: fine, shape: heavy, cut: cutDropped, timeout: timeout, n: n}
			for _, recording := range []Recording{RecordingAuto, RecordingDropped} {
				tail := ReadTail(e.observe(rand.New(rand.NewPCG(67, uint64(i)))), TailOptions{Timeout: timeout, Recording: recording})
				if tail.Compare(0.01) == VerdictBelow {
					t.Errorf("%d values, timeout %g, %s: cleared: %+v", n, timeout, recording, tail.Readings)
				}
			}
		}
	}
}
