package main

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// parts is into how many the daemon splits a window.
const parts = 12

// source is where values come from and how they are counted.
type source struct {
	shape   shape
	stretch float64 // seconds per unit of the shape
	layout  layout
}

// survival returns P(X > t), t in seconds.
func (s source) survival(t float64) float64 { return s.shape.survival(t / s.stretch) }

// above returns the share of values above each bound.
func (s source) above() []float64 {
	shares := make([]float64, len(s.layout.bounds))
	for i, bound := range s.layout.bounds {
		shares[i] = s.survival(bound)
	}
	return shares
}

// window draws n values in parts. They are counted at the source: what a server
// stretches and the auditor shrinks again is left out, so that the limits are
// as tight as they can be.
func (s source) window(r *rand.Rand, n int) latency.Window {
	w := latency.Window{Scrapes: atSource()}
	above := s.above()
	for p := range parts {
		w.Parts = append(w.Parts, s.layout.histogram(multinomial(r, float64(share(n, p)), above)))
	}
	return w
}

// atSource is the number of scrapes by which the auditor shrinks nothing.
func atSource() float64 { return math.Inf(1) }

// share splits n evenly over the parts.
func share(n, p int) int { return n*(p+1)/parts - n*p/parts }

// observation is what promquery makes of a window.
func observation(now, before latency.Window) latency.Observation {
	o := latency.Observation{Window: time.Hour, Now: now, Before: before}
	if h, err := now.Merged(); err == nil {
		p50, _ := h.Quantile(.5)
		p99, _ := h.Quantile(.99)
		o.P50, o.P99 = &p50, &p99
	}
	return o
}
