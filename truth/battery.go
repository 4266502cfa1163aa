package main

import (
	"fmt"
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// place says where between the bucket bounds the timeout lies.
type place string

const (
	onBound place = "on a bound"
	between place = "between bounds"
)

const (
	judged       = 0.01 // the verdict is on whether more than this is cut off
	enoughBeyond = 30   // values beyond the timeout from which a factor means something
)

// trial is one kind of window of the battery.
type trial struct {
	shape  shape
	layout layout
	n      int
	p      float64 // P(X > timeout), exactly
	place  place
}

// countable reports whether enough values lie beyond the timeout for a factor to
// mean something.
func (t trial) countable() bool { return float64(t.n)*t.p >= enoughBeyond*(1-1e-9) }

func (t trial) name() string {
	return fmt.Sprintf("%s/%s/%d/%g/%s", t.shape.name, t.layout.name, t.n, t.p, t.place)
}

// sizes are the numbers of values per window.
func sizes() []int { return []int{1e3, 1e4, 1e6} }

// targets are the true shares beyond the timeout: 5%, 1% and 0.1%, the last
// one on top of what is lost at any timeout.
func (s shape) targets() []float64 {
	last := .001
	if s.lost >= last {
		last += s.lost
	}
	return []float64{.05, .01, last}
}

// trials lists the battery.
func trials() []trial {
	var all []trial
	for _, s := range shapes() {
		for _, l := range layouts() {
			for _, n := range sizes() {
				for _, p := range s.targets() {
					for _, at := range []place{onBound, between} {
						all = append(all, trial{s, l, n, p, at})
					}
				}
			}
		}
	}
	return all
}

// outcome is what was read from one window.
type outcome struct {
	estimates    [methods]float64 // of P(X > timeout); NaN: there is none
	lower, upper float64          // the hard bracket
	verdict      latency.Verdict
}

// run draws the trial's windows and reads them.
func (t trial) run(repeats int) []outcome {
	r := generator(t.name())
	outcomes := make([]outcome, repeats)
	for i := range outcomes {
		s, timeout := t.setUp(i)
		outcomes[i] = t.read(observation(s.window(r, t.n), s.window(r, t.n)), timeout)
	}
	return outcomes
}

// setUp places the i-th timeout. It walks through the bins in which timeouts
// mostly lie, and through each bin, and the shape is stretched until its
// quantile is there.
func (t trial) setUp(i int) (s source, timeout float64) {
	bins := t.layout.usual()
	bin := bins[i%len(bins)]
	timeout = bin.Upper
	if t.place == between {
		// Between a tenth and nine tenths of the way, in log time.
		_, golden := math.Modf(float64(i+1) * (math.Sqrt(5) - 1) / 2)
		timeout = bin.Lower * math.Pow(bin.Upper/bin.Lower, .1+.8*golden)
	}
	return source{shape: t.shape, stretch: timeout / t.shape.quantile(t.p), layout: t.layout}, timeout
}

func (t trial) read(o latency.Observation, timeout float64) outcome {
	tail := latency.ReadTail(o, latency.TailOptions{Timeout: timeout, Recording: latency.RecordingUncensored})
	out := outcome{lower: tail.Lower, upper: tail.Upper, verdict: tail.Compare(judged)}
	out.estimates = [methods]float64{math.NaN(), math.NaN(), tail.Point}
	if tail.Lognormal != nil {
		out.estimates[twoQuantile] = tail.Lognormal.Survival(timeout)
	}
	if tail.Fit != nil {
		out.estimates[single] = tail.Fit.Survival(timeout)
	}
	return out
}

// factorError returns by which factor an estimate is off, at least 1; +Inf
// without an estimate, or with one of 0.
func factorError(estimate, truth float64) float64 {
	if !(estimate > 0) {
		return math.Inf(1)
	}
	return max(estimate/truth, truth/estimate)
}
