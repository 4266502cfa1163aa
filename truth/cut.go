package main

import (
	"math/rand/v2"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// cut is a way in which a caller's timeout bends the caller's own histogram.
type cut struct {
	name    string
	dropped bool    // attempts cut off are not in the histogram
	counted bool    // a counter has them
	rounded bool    // they are recorded at the timeout to the last bit
	late    float64 // up to so many seconds later; at once: the least later
}

func cuts() []cut {
	return []cut{
		{name: "recorded just above T"},
		{name: "recorded up to 5 ms late", late: .005},
		{name: "recorded rounded to T", rounded: true},
		{name: "dropped, with a counter", dropped: true, counted: true},
		{name: "dropped, without a counter", dropped: true},
	}
}

// above returns the share of what is recorded that lies above each bound.
func (c cut) above(s source, timeout float64) []float64 {
	cutOff := s.survival(timeout)
	shares := s.above()
	for i, bound := range s.layout.bounds {
		switch {
		case c.dropped:
			shares[i] = max(shares[i]-cutOff, 0) / (1 - cutOff)
		case bound < timeout:
		case c.late > 0:
			shares[i] = cutOff * min(max(1-(bound-timeout)/c.late, 0), 1)
		case bound > timeout || c.rounded:
			shares[i] = 0
		default:
			shares[i] = cutOff
		}
	}
	return shares
}

// window draws n attempts, and returns how many were dropped beside those that
// the histogram has.
func (c cut) window(r *rand.Rand, s source, timeout float64, n int) (w latency.Window, dropped float64) {
	w = latency.Window{Scrapes: atSource()}
	above, cutOff := c.above(s, timeout), s.survival(timeout)
	for p := range parts {
		left := float64(share(n, p))
		if c.dropped {
			lost := binomial(r, left, cutOff)
			left, dropped = left-lost, dropped+lost
		}
		w.Parts = append(w.Parts, s.layout.histogram(multinomial(r, left, above)))
	}
	return w, dropped
}

// read draws two windows of n attempts and reads the later one, what became of
// attempts cut off being undeclared.
func (c cut) read(r *rand.Rand, s source, timeout float64, n int) latency.Tail {
	now, dropped := c.window(r, s, timeout, n)
	before, droppedBefore := c.window(r, s, timeout, n)
	opts := latency.TailOptions{Timeout: timeout, Recording: latency.RecordingAuto}
	if c.counted {
		attempts := float64(n)
		opts.Attempts, opts.Timeouts = &attempts, &dropped
		opts.BeforeAttempts, opts.BeforeTimeouts = &attempts, &droppedBefore
	}
	return latency.ReadTail(observation(now, before), opts)
}
