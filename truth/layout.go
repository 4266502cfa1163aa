package main

import (
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// layout is a set of bucket bounds, in seconds.
type layout struct {
	name   string
	scheme latency.Scheme
	bounds []float64
}

// layouts lists the bucket layouts of the battery.
func layouts() []layout {
	return []layout{
		{"client_golang", latency.Classic, []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}},
		{"OpenTelemetry", latency.Classic, []float64{.005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}},
		{"Envoy", latency.Classic, []float64{.0005, .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 600, 1800, 3600}},
		{"20 log-spaced", latency.Classic, logSpaced(.001, 10, 20)},
		{"native", latency.Exponential, powers(3, 1e-6, 1e4)},
	}
}

func logSpaced(from, to float64, n int) []float64 {
	bounds := make([]float64, n)
	for i := range bounds {
		bounds[i] = from * math.Pow(to/from, float64(i)/float64(n-1))
	}
	return bounds
}

// powers returns the bounds of a native histogram of the given schema: powers of
// 2^(2^−schema), which is a factor of 1.09 for schema 3, the one that
// client_golang takes for a bucket factor of 1.1.
func powers(schema int, from, to float64) []float64 {
	each := math.Exp2(float64(schema))
	var bounds []float64
	for k := math.Ceil(math.Log2(from) * each); ; k++ {
		bound := math.Exp2(k / each)
		if bound > to {
			return bounds
		}
		bounds = append(bounds, bound)
	}
}

// usual are the bins in which timeouts of requests mostly lie.
func (l layout) usual() []latency.Bin {
	const from, to = .05, 2.5
	var bins []latency.Bin
	for i, upper := range l.bounds {
		if i > 0 && l.bounds[i-1] >= from*(1-1e-9) && upper <= to*(1+1e-9) {
			bins = append(bins, latency.Bin{Lower: l.bounds[i-1], Upper: upper})
		}
	}
	return bins
}

// histogram makes a histogram of counts per bin, one more than bounds. A native
// one leaves out its empty bins, as a server does.
func (l layout) histogram(counts []float64) latency.Histogram {
	h := latency.Histogram{Scheme: l.scheme, Bins: make([]latency.Bin, 0, len(counts))}
	lower := 0.0
	for i, count := range counts {
		upper := math.Inf(1)
		if i < len(l.bounds) {
			upper = l.bounds[i]
		}
		if l.scheme == latency.Classic || count > 0 {
			h.Bins = append(h.Bins, latency.Bin{Lower: lower, Upper: upper, Count: count})
		}
		lower = upper
	}
	return h
}
