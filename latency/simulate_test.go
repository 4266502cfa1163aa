package latency

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Bucket layouts that users meet, in seconds.
var (
	layoutDefault = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	layoutOTel    = []float64{0, .005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}
	layoutEnvoy   = []float64{.0005, .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 600, 1800, 3600}
	layoutLog20   = logBounds(.001, 10, 20)
)

func logBounds(from, to float64, n int) []float64 {
	bounds := make([]float64, n)
	for i := range bounds {
		bounds[i] = from * math.Pow(to/from, float64(i)/float64(n-1))
	}
	return bounds
}

// shape is a distribution of latencies in seconds.
type shape struct {
	draw     func(r *rand.Rand) float64
	survival func(t float64) float64
}

func lognormal(median, sigma float64) shape {
	l := Lognormal{Mu: math.Log(median), Sigma: sigma}
	return shape{
		draw:     func(r *rand.Rand) float64 { return median * math.Exp(sigma*r.NormFloat64()) },
		survival: l.Survival,
	}
}

// twoModes draws from slow with the given weight, else from fast.
func twoModes(fast, slow shape, weight float64) shape {
	return shape{
		draw: func(r *rand.Rand) float64 {
			if r.Float64() < weight {
				return slow.draw(r)
			}
			return fast.draw(r)
		},
		survival: func(t float64) float64 { return weight*slow.survival(t) + (1-weight)*fast.survival(t) },
	}
}

func uniform(from, to float64) shape {
	return shape{
		draw:     func(r *rand.Rand) float64 { return from + (to-from)*r.Float64() },
		survival: func(t float64) float64 { return min(max((to-t)/(to-from), 0), 1) },
	}
}

// at returns the time above which a share p of the latencies lies.
func (s shape) at(p float64) float64 {
	low, high := 1e-6, 1e6
	for high/low > 1+1e-12 {
		if middle := math.Sqrt(low * high); s.survival(middle) > p {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// cut says what a histogram has of an attempt that took longer than the
// timeout; false drops it.
type cut func(r *rand.Rand, value, timeout float64) (float64, bool)

func cutNothing(_ *rand.Rand, value, _ float64) (float64, bool) { return value, true }
func cutDropped(_ *rand.Rand, value, timeout float64) (float64, bool) {
	return value, value <= timeout
}

func cutRounded(_ *rand.Rand, value, timeout float64) (float64, bool) {
	return min(value, timeout), true
}

// cutLate fires up to so many seconds after the timeout.
func cutLate(by float64) cut {
	return func(r *rand.Rand, value, timeout float64) (float64, bool) {
		return min(value, timeout+by*r.Float64()), true
	}
}

// experiment draws a window of n attempts in 12 parts.
type experiment struct {
	bounds  []float64
	shape   shape
	cut     cut
	timeout float64
	n       int
}

func (e experiment) observe(r *rand.Rand) Observation {
	return Observation{Window: time.Hour, Now: e.window(r), Before: e.window(r)}
}

func (e experiment) window(r *rand.Rand) Window {
	const parts = 12
	w := Window{Scrapes: math.Inf(1)}
	for p := range parts {
		n := e.n/parts + btoi(p < e.n%parts)
		counts := make([]float64, len(e.bounds)+1)
		for range n {
			value, kept := e.cut(r, e.shape.draw(r), e.timeout)
			if !kept {
				continue
			}
			i, _ := slices.BinarySearch(e.bounds, value)
			counts[i]++
		}
		w.Parts = append(w.Parts, binned(e.bounds, counts))
	}
	return w
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// binned makes a classic histogram of counts per bin, one more than bounds.
func binned(bounds, counts []float64) Histogram {
	cumulative := slices.Clone(counts)
	for i := 1; i < len(cumulative); i++ {
		cumulative[i] += cumulative[i-1]
	}
	h, err := FromCumulative(bounds, cumulative)
	if err != nil {
		panic(err)
	}
	return h
}
