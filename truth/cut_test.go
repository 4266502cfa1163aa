package main

import (
	"math"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Of a uniform latency from 0.2 to 1 s, a timeout of 0.6 s cuts off one half.
func TestCutsBendTheHistogram(t *testing.T) {
	l := layout{"test", latency.Classic, []float64{.4, .6, .602, .61, 1}}
	s := source{shape{tail: uniform(.2, 1)}, 1, l}
	for name, want := range map[string][]float64{
		"recorded just above T":      {.75, .5, 0, 0, 0},
		"recorded up to 5 ms late":   {.75, .5, .3, 0, 0},
		"recorded rounded to T":      {.75, 0, 0, 0, 0},
		"dropped, with a counter":    {.5, 0, 0, 0, 0},
		"dropped, without a counter": {.5, 0, 0, 0, 0},
	} {
		var c cut
		for _, each := range cuts() {
			if each.name == name {
				c = each
			}
		}
		for i, above := range c.above(s, .6) {
			if math.Abs(above-want[i]) > 1e-9 {
				t.Errorf("%s: %g above %g, want %g", name, above, l.bounds[i], want[i])
			}
		}
		w, dropped := c.window(generator(name), s, .6, 12_000)
		h, err := w.Merged()
		if err != nil {
			t.Fatal(err)
		}
		if h.Total()+dropped != 12_000 || (dropped > 0) != c.dropped {
			t.Errorf("%s: %g recorded and %g dropped", name, h.Total(), dropped)
		}
	}
}

// Fixed seeds, one window of each kind. A spike that goes unseen, or a tail that
// is extrapolated too boldly, would clear some.
func TestCensoredHistogramsAreNotClearedUnlessExplained(t *testing.T) {
	var all []censored
	for _, c := range cuts() {
		for _, kind := range censoringsOf(c, .02) {
			all = append(all, censored{kind, kind.run(1)})
		}
	}
	if n := unexplained(all); n > 0 {
		t.Errorf("%d false clears that nothing explains", n)
	}
	for _, c := range all {
		if c.verdicts.falseAlarms > 0 || c.verdicts.uncensored > 0 {
			t.Errorf("%s: %+v", c.name(), c.verdicts)
		}
	}
}
