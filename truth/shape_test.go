package main

import (
	"math"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

func TestShapesAreDistributions(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			last := 1.0
			for at := 1e-3; at < 1e4; at *= 1.01 {
				p := s.survival(at)
				if !(p >= s.lost && p <= last) {
					t.Fatalf("P(X > %g) = %g after %g", at, p, last)
				}
				last = p
			}
			if s.survival(0) != 1 && s.survival(1e-9) != 1 {
				t.Errorf("P(X > 0) = %g", s.survival(0))
			}
			for _, p := range s.targets() {
				if got := s.survival(s.quantile(p)); math.Abs(got/p-1) > 1e-9 {
					t.Errorf("P(X > quantile(%g)) = %g", p, got)
				}
			}
		})
	}
}

// The sum of two ways and a service has the sum of their means, which E[X] =
// ∫P(X > t)dt gives: exp(0.08) each way, and 98% exp(2.125) + 2% 220.
func TestLossyRPCAddsUpItsParts(t *testing.T) {
	s := lossyRPC()
	mean := 0.0
	const step = .01
	for at := step / 2; at < 600; at += step {
		mean += s.tail(at) * step
	}
	if want := 2*math.Exp(.08) + .98*math.Exp(2.125) + .02*220; math.Abs(mean/want-1) > 2e-3 {
		t.Errorf("mean %g ms, want %g", mean, want)
	}
	if math.Abs(s.lost-.003996) > 1e-12 {
		t.Errorf("lost %g", s.lost)
	}
}

func TestNativeBoundsGrowByTheSchema(t *testing.T) {
	for _, l := range layouts() {
		for i := 1; i < len(l.bounds); i++ {
			ratio := l.bounds[i] / l.bounds[i-1]
			if ratio <= 1 || l.scheme == latency.Exponential && math.Abs(ratio-math.Exp2(1./8)) > 1e-9 {
				t.Fatalf("%s: bound %g follows %g", l.name, l.bounds[i], l.bounds[i-1])
			}
		}
		if len(l.usual()) < 4 {
			t.Errorf("%s: timeouts in %d bins only", l.name, len(l.usual()))
		}
	}
}
