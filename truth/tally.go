package main

import (
	"math"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// method is a way to estimate P(X > timeout).
type method int

const (
	twoQuantile method = iota // the lognormal through the server's p50 and p99
	single                    // the lognormal of greatest likelihood
	headline                  // what the auditor says
	methods
)

func (m method) String() string { return [...]string{"two quantiles", "single fit", "headline"}[m] }

// tally collects what was read from windows.
type tally struct {
	factors      [methods][]float64 // factor errors, where enough lies beyond the timeout
	wrong        [methods]int       // verdicts on the wrong side of 1%
	undecided    int                // verdicts by the counts that decide nothing
	judged       int                // verdicts where the truth is not 1% itself
	lower, upper []float64          // of the hard bracket, in multiples of the truth
	held, all    int                // brackets that hold the truth
}

func (y *tally) add(t trial, outcomes []outcome) {
	for _, o := range outcomes {
		y.all++
		if o.lower <= t.p && t.p <= o.upper {
			y.held++
		}
		if !t.countable() {
			continue
		}
		y.lower, y.upper = append(y.lower, o.lower/t.p), append(y.upper, o.upper/t.p)
		for m, estimate := range o.estimates {
			y.factors[m] = append(y.factors[m], factorError(estimate, t.p))
		}
		if t.p == judged {
			continue
		}
		y.judged++
		if o.verdict == latency.VerdictUncertain {
			y.undecided++
		}
		for m := range methods {
			if o.wrong(m, t.p) {
				y.wrong[m]++
			}
		}
	}
}

// wrong reports whether a method puts the timeout on the wrong side of p99. The
// estimates decide by being above 1% or not, the headline by the verdict on
// counts, which may decide nothing.
func (o outcome) wrong(m method, truth float64) bool {
	above := truth > judged
	if m != headline {
		return (o.estimates[m] > judged) != above
	}
	return o.verdict == latency.VerdictAbove && !above || o.verdict == latency.VerdictBelow && above
}

func (y *tally) coverage() float64 { return float64(y.held) / float64(y.all) }

// factor returns the q-quantile of a method's factor errors.
func (y *tally) factor(m method, q float64) float64 { return quantile(y.factors[m], q) }

// quantile returns the smallest value that at least a share q of all are at most.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
}

// group tallies trials by a key, in the order in which the keys come.
type group struct {
	keys    []string
	tallies map[string]*tally
}

func grouped(results []result, key func(trial) (string, bool)) group {
	g := group{tallies: map[string]*tally{}}
	for _, r := range results {
		k, ok := key(r.trial)
		if !ok {
			continue
		}
		if g.tallies[k] == nil {
			g.keys = append(g.keys, k)
			g.tallies[k] = &tally{}
		}
		g.tallies[k].add(r.trial, r.outcomes)
	}
	return g
}

// result is a trial and what was read from its windows.
type result struct {
	trial    trial
	outcomes []outcome
}
