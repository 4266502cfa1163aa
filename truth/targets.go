package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// target is what was promised, and what came of it.
type target struct {
	promise, reached string
	met              bool
}

// unmet is how the page says that a promise was not kept.
const unmet = "**no**"

func (r results) targets(p *page) {
	p.title(2, "What is promised, and what was reached")
	var rows [][]string
	for _, t := range r.promises() {
		met := unmet
		if t.met {
			met = "yes"
		}
		rows = append(rows, []string{t.promise, t.reached, met})
	}
	p.prose([]string{"promise", "reached", "met"}, rows)
	p.say("¹ Without narrow humps and bounded tails between bounds, which [no counts at bounds can resolve](#what-cannot-be-known). In brackets: with them.")
}

func (r results) promises() []target {
	return []target{
		r.coverage(),
		r.layoutTarget("Envoy", 1.05, 3),
		r.layoutTarget("native", 1.02, 1.15),
		r.beatsTwoQuantiles(),
		worst("Steady traffic at T = p99: at most 1 false finding in 1,000 windows", r.steady, kept.firesPer1000, 1),
		worst("Steady traffic at T = p99: at most 1 flip in 2,000 windows", r.steady, kept.flipsPer2000, 1),
		worst("Shared episodes, long-run p of 0.5%: at most 5 false findings in 1,000 hours", r.episodes, kept.firesPer1000, 5),
		r.alarmTarget(),
		{
			promise: "No false clear of a censored histogram that is not [explained](#the-false-clears)",
			reached: fmt.Sprintf("%d", unexplained(r.censoring)),
			met:     unexplained(r.censoring) == 0,
		},
		r.loopTarget(),
	}
}

func (r results) coverage() target {
	least := 1.0
	for _, g := range []group{byLayout(r.battery), byShape(r.battery)} {
		for _, y := range g.tallies {
			least = min(least, y.coverage())
		}
	}
	return target{"The hard bracket holds the truth in at least 98% of the windows of every row", "at least " + figure.Ratio(least), least >= .98}
}

func (r results) layoutTarget(name string, p50, p95 float64) target {
	tallyOf := func(all bool) *tally {
		return grouped(r.battery, func(t trial) (string, bool) {
			resolvable := t.place == onBound || t.shape.unresolved == ""
			return "", t.layout.name == name && t.n == largest && (all || resolvable)
		}).tallies[""]
	}
	y, all := tallyOf(false), tallyOf(true)
	return target{
		promise: fmt.Sprintf("%s layout, %s attempts: headline off by at most %g at the median and %g at the 95th percentile ¹", name, figure.Count(largest), p50, p95),
		reached: fmt.Sprintf("%s and %s (%s and %s)", factorText(y.factor(headline, .5)), factorText(y.factor(headline, .95)),
			factorText(all.factor(headline, .5)), factorText(all.factor(headline, .95))),
		met: y.factor(headline, .5) <= p50 && y.factor(headline, .95) <= p95,
	}
}

// beatsTwoQuantiles compares the headline's errors with those of the two
// quantiles, shape by shape.
func (r results) beatsTwoQuantiles() target {
	const slack = 1.1
	g := byShape(r.battery)
	worst, worstAll := 0.0, 0.0
	for _, key := range g.keys {
		y := g.tallies[key]
		for _, q := range []float64{.5, .95} {
			ratio := y.factor(headline, q) / y.factor(twoQuantile, q)
			worstAll = max(worstAll, ratio)
			if !strings.HasSuffix(key, unresolvedMark) {
				worst = max(worst, ratio)
			}
		}
	}
	return target{
		promise: fmt.Sprintf("Every shape, %s attempts: the headline's median and 95th percentile at most %g times those of two quantiles ¹", figure.Count(largest), slack),
		reached: fmt.Sprintf("at most %s times (%s)", factorText(worst), factorText(worstAll)),
		met:     worst <= slack,
	}
}

func worst(promise string, all []kept, rate func(kept) float64, most float64) target {
	highest := 0.0
	for _, k := range all {
		highest = max(highest, rate(k))
	}
	return target{promise, "at most " + numberText(highest), highest <= most}
}

func (r results) alarmTarget() target {
	const ratio, attempts, enough = .8, 5000, .95
	least := math.Inf(1)
	for _, a := range r.alarms {
		if a.ratio == ratio && a.perWindow == attempts {
			least = min(least, a.found())
		}
	}
	return target{
		promise: fmt.Sprintf("T ÷ p99 of %g, sigma %g, %s attempts: found within two windows in at least %s of runs", ratio, alarmSigma, figure.Count(attempts), figure.Ratio(enough)),
		reached: figure.Ratio(least), met: least >= enough,
	}
}
