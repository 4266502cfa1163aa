package latency

import (
	"math"
	"testing"
)

func TestLocalProbitWhereTheLineIsShort(t *testing.T) {
	h := binned([]float64{.1, .2, .4}, []float64{100, 800, 90, 10})
	for _, c := range []struct {
		name            string
		h               Histogram
		t               float64
		p, lower, upper float64
		between         bool
	}{
		{name: "nothing counted", h: Histogram{}, t: 1},
		{name: "on a bound", h: h, t: .2, p: .1, lower: .1, upper: .1},
		{name: "beyond the last bound", h: h, t: .8, lower: 0, upper: .01, between: true},
		{name: "before the first bound", h: h, t: .05, lower: .9, upper: 1, between: true},
		{name: "one bound only", h: binned([]float64{1}, []float64{3, 1}), t: 2, p: .25, lower: 0, upper: .25},
		{name: "an empty bin", h: binned([]float64{1, 2, 3}, []float64{3, 0, 1, 0}), t: 1.5, p: .25, lower: .25, upper: .25},
		{name: "a gap between native bins", h: native(Bin{1, 2, 3}, Bin{4, 8, 1}), t: 3, p: .25, lower: .25, upper: .25},
		{name: "beyond the last native bin", h: native(Bin{1, 2, 3}), t: 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, lower, upper := LocalProbit(c.h, c.t)
			if !near(lower, c.lower, 1e-12) || !near(upper, c.upper, 1e-12) {
				t.Errorf("between %g and %g, want %g and %g", lower, upper, c.lower, c.upper)
			}
			if c.between && !(lower < p && p < upper) || !c.between && !near(p, c.p, 1e-12) {
				t.Errorf("p = %g in [%g, %g], want %g", p, lower, upper, c.p)
			}
		})
	}
}

func TestHeadlineMethodFollowsTheFit(t *testing.T) {
	for _, c := range []struct {
		name    string
		shape   shape
		n       int
		timeout float64
		want    string
	}{
		{"a bound is counted", lognormal(.1, .8), 100_000, layoutLog20[14], MethodCounted},
		{"one mode is calibrated", lognormal(.1, .8), 100_000, .7, MethodCalibrated},
		{"two modes are calibrated", twoModes(lognormal(.002, .4), lognormal(.04, .6), .1), 100_000, .15, MethodCalibratedPair},
		{"what fits neither is local", uniform(.1, .5), 100_000, .45, MethodLocalProbit},
		{"few values leave it local", lognormal(.1, .8), 120, .5, MethodLocalProbit},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := sampled(t, experiment{bounds: layoutLog20, shape: c.shape, n: c.n}, 4)
			p, method := HeadlineTail(h, c.timeout)
			if method != c.want {
				t.Errorf("%s, want %s", method, c.want)
			}
			sure, possible := h.CountAbove(c.timeout)
			if p < sure/h.Total()-1e-12 || p > possible/h.Total()+1e-12 {
				t.Errorf("p = %g outside [%g, %g]", p, sure/h.Total(), possible/h.Total())
			}
		})
	}
}

func TestALongerTimeoutNeverRaisesTheHeadline(t *testing.T) {
	for name, s := range map[string]shape{
		"one mode":  lognormal(.1, .8),
		"two modes": twoModes(lognormal(.002, .4), lognormal(.04, .6), .1),
		"uniform":   uniform(.1, .5),
	} {
		for _, n := range []int{300, 20_000} {
			h := sampled(t, experiment{bounds: layoutDefault, shape: s, n: n}, 5)
			last := 1.0
			for at := .001; at < 30; at *= 1.01 {
				p, method := HeadlineTail(h, at)
				if p > last+1e-12 || math.IsNaN(p) {
					t.Fatalf("%s, %d values: p rises from %g to %g at %g (%s)", name, n, last, p, at, method)
				}
				last = p
			}
		}
	}
}

// A bound with nothing above it has no z. The line goes on as it fell below,
// unless nothing fell there either.
func TestLocalProbitGoesOnWhereNothingLiesAbove(t *testing.T) {
	h := binned([]float64{.1, .2, .4, .8}, []float64{800, 190, 10, 0, 0})
	z20, z1 := NormalSurvivalQuantile(.2), NormalSurvivalQuantile(.01)
	want := NormalSurvival(z1 + (z1-z20)*math.Log(.3/.2)/math.Log(2))
	if p, lower, upper := LocalProbit(h, .3); !near(p, want, 1e-9) || lower != 0 || !near(upper, .01, 1e-12) {
		t.Errorf("p = %g in [%g, %g], want %g in [0, 0.01]", p, lower, upper, want)
	}
	spike := binned([]float64{.1, .2, .3}, []float64{0, 0, 1000, 0})
	if p, _, _ := LocalProbit(spike, .25); !(p > .2 && p < .5) {
		t.Errorf("p = %g, want about the middle of a bucket that holds all", p)
	}
}
