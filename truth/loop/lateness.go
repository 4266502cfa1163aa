package loop

import (
	"sync"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// lateness collects, in seconds, by how much real clocks and networks lag behind
// what was asked of them.
type lateness struct {
	mu sync.Mutex
	replies,
	paths,
	timers []float64
}

// reply notes that a callee replied later than it was to. All attempts are in,
// those that the caller gave up on too.
func (l *lateness) reply(by float64) { l.note(&l.replies, by) }

// path notes what an attempt spent outside its callee.
func (l *lateness) path(took float64) { l.note(&l.paths, took) }

// timer notes that a timeout, a deadline or a wait of the caller ended late.
func (l *lateness) timer(by float64) { l.note(&l.timers, by) }

func (l *lateness) note(samples *[]float64, seconds float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*samples = append(*samples, max(seconds, 0))
}

// Lateness is by how much clocks and network lagged in a run, in seconds, on
// average. Measure.Low and Measure.High allow for it.
type Lateness struct {
	Replies float64 // sleeping too long, sending, receiving, being scheduled; of an attempt
	Timers  float64 // of a timeout, a deadline or a wait of the caller
}

// mean returns the lateness so far. Without a sample there is none: no timer was
// ever waited for.
func (l *lateness) mean() Lateness {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Lateness{Replies: mean(l.replies) + mean(l.paths), Timers: mean(l.timers)}
}

func mean(samples []float64) float64 {
	sum := 0.0
	for _, by := range samples {
		sum += by
	}
	return sum / max(float64(len(samples)), 1)
}

// shift returns, for each kind, the constant delay that moves as many attempts
// across a timeout as the delays so far do. That is less than the mean where a
// few are long: no attempt is cut off twice.
//
// derivation: an attempt of latency X whose reply is late by d is cut off if
// X + d > T, over all attempts with the mean of S(T − d). A constant delay D
// does the same if S(T − D) is that mean.
func (l *lateness) shift(of latency.Lognormal, timeout float64) Lateness {
	l.mu.Lock()
	defer l.mu.Unlock()
	constant := func(samples []float64, sign float64) float64 {
		if len(samples) == 0 {
			return 0
		}
		cut := make([]float64, len(samples))
		for i, by := range samples {
			cut[i] = of.Survival(timeout - sign*by)
		}
		return max(sign*(timeout-of.Quantile(mean(cut))), 0)
	}
	return Lateness{Replies: constant(l.replies, 1) + constant(l.paths, 1), Timers: constant(l.timers, -1)}
}

// later returns latencies that are longer by so many seconds, or shorter where
// by is negative: the lognormal through the moved median and p99. Errors are
// those of latency.FitQuantiles, when nothing is left of the median.
func later(l latency.Lognormal, by float64) (latency.Lognormal, error) {
	const p99Tail = .01
	return latency.FitQuantiles(
		latency.QuantilePoint{P: .5, Seconds: l.Quantile(.5) + by},
		latency.QuantilePoint{P: 1 - p99Tail, Seconds: l.Quantile(p99Tail) + by},
	)
}
