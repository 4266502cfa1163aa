package main

import (
	"math"
	"sort"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// lossyRPC is a request over a lossy network, in milliseconds: lognormal(0,
// 0.4) each way, a service of lognormal(2.0, 0.5) that is uniform between 40
// and 400 for 2% of requests, and 0.2% of requests and of replies lost.
func lossyRPC() shape {
	const lossEachWay = 0.002
	service := mixed(part{.98, latency.Lognormal{Mu: 2, Sigma: .5}.Survival}, part{.02, uniform(40, 400)})
	return shape{
		name: "lossy RPC", about: "network lognormal(0, 0.4) each way, service lognormal(2, 0.5) with 2% uniform from 40 to 400, 0.2% lost each way",
		tail: tabulated(afterNetwork(service, .4)),
		lost: latency.LostFloor(lossEachWay, lossEachWay), hides: true,
	}
}

// afterNetwork adds two independent lognormal(0, sigma) times to a service
// time: P(A + B + X > t) = E[P(X > t − A − B)], over the means of equally likely
// slices of A + B, which are made of equally likely slices of A and of B.
func afterNetwork(service func(float64) float64, sigma float64) func(float64) float64 {
	const slices = 50
	way := make([]float64, slices)
	for i := range way {
		way[i] = latency.Lognormal{Sigma: sigma}.Quantile((float64(i) + .5) / slices)
	}
	var both []float64
	for _, out := range way {
		for _, back := range way {
			both = append(both, out+back)
		}
	}
	sort.Float64s(both)
	means := make([]float64, slices)
	for i, sum := range both {
		means[i*slices/len(both)] += sum / (float64(len(both)) / slices)
	}
	return func(t float64) float64 {
		above := 0.0
		for _, network := range means {
			above += service(t-network) / slices
		}
		return above
	}
}

// tabulated evaluates a survival function once, on a fine grid of log time, and
// is linear between. The result is the shape, exactly: samples and truth both
// come from it.
func tabulated(tail func(float64) float64) func(float64) float64 {
	const from, to, steps = 0.1, 2000, 2000
	step := math.Log(to/from) / steps
	values := make([]float64, steps+1)
	for i := range values {
		values[i] = tail(from * math.Exp(float64(i)*step))
	}
	// A sum of rounded terms may rise by a rounding error.
	sort.Sort(sort.Reverse(sort.Float64Slice(values)))
	return func(t float64) float64 {
		at := math.Log(max(t, from)/from) / step
		i := int(min(at, steps-1))
		fraction := min(at-float64(i), 1)
		return values[i] + (values[i+1]-values[i])*fraction
	}
}
