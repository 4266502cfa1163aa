package latency

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func sampled(t testing.TB, e experiment, seed uint64) Histogram {
	t.Helper()
	if e.cut == nil {
		e.cut = cutNothing
	}
	h, err := e.window(rand.New(rand.NewPCG(seed, 1))).Merged()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestMixtureNeedsBinsAndValues(t *testing.T) {
	for name, e := range map[string]experiment{
		"too few values": {bounds: layoutLog20, shape: lognormal(.1, .8), n: 480},
		"too few bins":   {bounds: []float64{.01, .1, 1}, shape: lognormal(.1, .8), n: 10_000},
	} {
		if _, err := FitMixture(sampled(t, e, 1)); !errors.Is(err, ErrNoMixture) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Fixed seeds; a search that ends in a local maximum, or a penalty too small,
// would break it.
func TestSecondComponentIsFoundWhereItIsAndOnlyThere(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape shape
		want  bool
	}{
		{"one narrow mode", lognormal(.2, .3), false},
		{"one wide mode", lognormal(.05, 1.5), false},
		{"a cache", twoModes(lognormal(.002, .4), lognormal(.04, .6), .1), true},
		{"a slow replica", twoModes(lognormal(.05, .5), lognormal(.8, .3), .05), true},
		{"a rare stall", twoModes(lognormal(.05, .5), lognormal(3, .2), .01), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := sampled(t, experiment{bounds: layoutLog20, shape: c.shape, n: 20_000}, 2)
			single, err := FitBinned(h)
			if err != nil {
				t.Fatal(err)
			}
			pair, err := FitMixture(h)
			if err != nil {
				if c.want {
					t.Fatal(err)
				}
				return
			}
			if got := pair.Chosen(single); got != c.want {
				t.Errorf("chosen: %v, want %v: %+v", got, c.want, pair)
			}
			if c.want && (!pair.Separated() || pair.First.Mu >= pair.Second.Mu) {
				t.Errorf("components not apart: %+v", pair)
			}
			if pair.LogLikelihood < single.LogLikelihood-1e-6*math.Abs(single.LogLikelihood) {
				t.Errorf("two components fit worse than one: %g and %g", pair.LogLikelihood, single.LogLikelihood)
			}
		})
	}
}
