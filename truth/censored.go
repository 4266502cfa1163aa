package main

import (
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// censoring is one kind of window that its own timeout bent.
type censoring struct {
	trial
	cut cut
}

func (c censoring) name() string { return c.cut.name + "/" + c.trial.name() }

// cutShares are the shares that the timeout cuts off, on either side of 1%.
func cutShares() []float64 { return []float64{.2, .05, .02, .005, .001, .0001} }

// censorings lists them: every way to cut, share, shape, layout, size and place.
// What is lost at any timeout leaves out the shares below it.
func censorings() []censoring {
	var all []censoring
	for _, c := range cuts() {
		for _, p := range cutShares() {
			all = append(all, censoringsOf(c, p)...)
		}
	}
	return all
}

func censoringsOf(c cut, p float64) []censoring {
	var all []censoring
	for _, s := range shapes() {
		if p <= s.lost {
			continue
		}
		for _, l := range layouts() {
			for _, n := range []int{1e3, 1e4, 1e5} {
				for _, at := range []place{onBound, between} {
					all = append(all, censoring{trial{s, l, n, p, at}, c})
				}
			}
		}
	}
	return all
}

// verdicts counts what was judged.
type verdicts struct {
	right, undecided int
	falseAlarms      int // fired although less than 1% is cut off
	falseClears      int // cleared although more is
	uncensored       int // read as if nothing had been cut off
}

func (v *verdicts) add(w verdicts) {
	v.right += w.right
	v.undecided += w.undecided
	v.falseAlarms += w.falseAlarms
	v.falseClears += w.falseClears
	v.uncensored += w.uncensored
}

func (v verdicts) total() int { return v.right + v.undecided + v.falseAlarms + v.falseClears }

// run draws and judges the windows, what became of attempts cut off being
// undeclared.
func (c censoring) run(repeats int) verdicts {
	r := generator(c.name())
	var v verdicts
	for i := range repeats {
		s, timeout := c.setUp(i)
		tail := c.cut.read(r, s, timeout, c.n)
		switch verdict := tail.Compare(judged); {
		case verdict == latency.VerdictUncertain:
			v.undecided++
		case verdict == latency.VerdictAbove && c.p < judged:
			v.falseAlarms++
		case verdict == latency.VerdictBelow && c.p > judged:
			v.falseClears++
		default:
			v.right++
		}
		if len(tail.Readings) == 1 && tail.Readings[0].Recording == latency.RecordingUncensored {
			v.uncensored++
		}
	}
	return v
}
