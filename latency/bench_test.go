package latency

import (
	"math"
	"math/rand/v2"
	"testing"
)

// twentyBins is a sampled histogram with two modes, on 20 bounds.
func twentyBins(tb testing.TB) Histogram {
	tb.Helper()
	e := experiment{
		bounds: layoutLog20, shape: twoModes(lognormal(.002, .4), lognormal(.04, .6), .1),
		cut: cutNothing, timeout: .2, n: 20_000,
	}
	h, err := e.window(rand.New(rand.NewPCG(3, 3))).Merged()
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

func BenchmarkFitBinned(b *testing.B) {
	h := twentyBins(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FitBinned(h); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFitMixture(b *testing.B) {
	h := twentyBins(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FitMixture(h); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadTail(b *testing.B) {
	e := experiment{bounds: layoutLog20, shape: lognormal(.1, .8), cut: cutNothing, timeout: .7, n: 20_000}
	o := e.observe(rand.New(rand.NewPCG(3, 3)))
	b.ReportAllocs()
	for b.Loop() {
		ReadTail(o, TailOptions{Timeout: .7})
	}
}

func TestNewtonDoesNotAllocate(t *testing.T) {
	l := newLikelihood(twentyBins(t).cells(), math.Inf(1))
	truncated := newLikelihood(l.cells, l.cells[len(l.cells)-1].upper)
	allocations := testing.AllocsPerRun(100, func() {
		l.climb(l.start())
		truncated.climb(truncated.start())
	})
	if allocations != 0 {
		t.Errorf("%v allocations, want none", allocations)
	}
}

func TestNewtonTakesFewSteps(t *testing.T) {
	for name, h := range map[string]Histogram{"two modes": twentyBins(t), "small": binned(
		[]float64{.1, .25, .5, 1}, []float64{400, 350, 200, 45, 5})} {
		l := newLikelihood(h.cells(), math.Inf(1))
		alpha, scale := l.start()
		steps := 0
		for ; steps < newtonSteps; steps++ {
			c := l.at(alpha, scale)
			stepA, stepH := c.step()
			if c.slopeA*stepA+c.slopeH*stepH <= newtonDone*l.total {
				break
			}
			alpha, scale = alpha+stepA, scale+stepH
		}
		if steps > 8 {
			t.Errorf("%s: %d steps, want at most 8", name, steps)
		}
	}
}
