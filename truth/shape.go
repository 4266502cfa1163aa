package main

import (
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// shape is a distribution of latencies, known exactly. Its unit of time is its
// own: a case stretches it until its quantile lies where the case wants the
// timeout.
type shape struct {
	name  string
	about string // for a person
	tail  func(t float64) float64

	// lost is the share of attempts that no reply reaches. tail is of the others.
	lost float64

	// hides is set where a slow component can lie beyond a timeout as a whole, so
	// that a histogram that drops what is cut off shows nothing of it.
	hides bool

	// unresolved says why no method that sees only the counts at the bounds can
	// follow this shape between them; empty where one can.
	unresolved string
}

// survival returns P(X > t), lost attempts taking longer than any t.
func (s shape) survival(t float64) float64 { return min(s.lost+(1-s.lost)*s.tail(t), 1) }

// quantile returns the t with P(X > t) = p, by bisection.
func (s shape) quantile(p float64) float64 {
	low, high := 1e-9, 1e9
	for range 200 {
		middle := math.Sqrt(low * high)
		if s.survival(middle) > p {
			low = middle
		} else {
			high = middle
		}
		if high/low < 1+1e-13 {
			break
		}
	}
	return high
}

func lognormal(median, sigma float64) func(float64) float64 {
	return latency.Lognormal{Mu: math.Log(median), Sigma: sigma}.Survival
}

// part is one component of a mixture.
type part struct {
	weight float64
	tail   func(float64) float64
}

func mixed(parts ...part) func(float64) float64 {
	return func(t float64) float64 {
		sum := 0.0
		for _, p := range parts {
			sum += p.weight * p.tail(t)
		}
		return sum
	}
}

func uniform(from, to float64) func(float64) float64 {
	return func(t float64) float64 { return min(max((to-t)/(to-from), 0), 1) }
}

func shiftedExponential(shift, mean float64) func(float64) float64 {
	return func(t float64) float64 { return min(1, math.Exp(-(t-shift)/mean)) }
}

func pareto(least, alpha float64) func(float64) float64 {
	return func(t float64) float64 { return min(1, math.Pow(least/t, alpha)) }
}

// capped conditions a distribution on lying below the given time.
func capped(tail func(float64) float64, at float64) func(float64) float64 {
	cut := tail(at)
	return func(t float64) float64 { return max(tail(t)-cut, 0) / (1 - cut) }
}
