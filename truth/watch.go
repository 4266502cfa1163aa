package main

import (
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// ruleFor is for how many minutes timeout-below-p99 stands before it pages.
const ruleFor = 5

// watcher looks every minute at the window that ends now and at the one before.
// It keeps its finding while the counts do not decide, as rules.Judge does.
type watcher struct {
	scrapes  float64  // samples per series in a part
	minutes  []minute // the last two windows, oldest first
	everyOne bool     // also judge looks that cannot fire

	needed map[float64]float64 // values above the timeout without which nothing fires, by attempts

	standing     bool
	since        int // the look at which it began to stand
	looks        int
	fires, flips int // a flip is a finding that comes or goes
	pages        int
}

// look takes in a minute, and judges from the second full window on.
func (w *watcher) look(m minute) {
	const both = 2 * minutesPerWindow
	if w.minutes = append(w.minutes, m); len(w.minutes) < both {
		return
	}
	w.minutes = w.minutes[len(w.minutes)-both:]
	w.looks++
	if !w.standing && !w.everyOne && !w.couldFire() {
		return
	}
	switch verdict := w.judge(); {
	case verdict == latency.VerdictAbove && !w.standing:
		w.standing, w.since = true, w.looks
		w.fires++
		w.flips++
	case verdict == latency.VerdictBelow && w.standing:
		w.standing = false
		w.flips++
	}
	if w.standing && w.looks-w.since == ruleFor {
		w.pages++
	}
}

// couldFire is a quick look that spares the long one: while nothing stands only a
// finding matters, and none comes without a lower limit above the threshold at
// 99.9%. Where not even one at 99% is, for counts that do not burst, it cannot.
func (w *watcher) couldFire() bool {
	const confidence = .99
	var sum minute
	for _, m := range w.minutes[minutesPerWindow:] {
		sum.attempts += m.attempts
		sum.above += m.above
	}
	needed, known := w.needed[sum.attempts]
	if !known {
		for needed = math.Floor(sum.attempts * judged); latency.BinomialLower(needed, sum.attempts, confidence) <= judged; {
			needed++
		}
		if w.needed == nil {
			w.needed = map[float64]float64{}
		}
		w.needed[sum.attempts] = needed
	}
	return sum.above >= needed
}

// onlyBound is the timeout, and the only finite bucket bound. Which it is does
// not matter to a verdict at a bound, and others would not be looked at.
const onlyBound = 1.0

// judge asks package latency, the histogram being declared uncensored.
func (w *watcher) judge() latency.Verdict {
	o := latency.Observation{
		Now:    windowOf(w.minutes[minutesPerWindow:], w.scrapes),
		Before: windowOf(w.minutes[:minutesPerWindow], w.scrapes),
	}
	return latency.ReadTail(o, latency.TailOptions{Timeout: onlyBound, Recording: latency.RecordingUncensored}).Compare(judged)
}

// windowOf adds up minutes in parts.
func windowOf(minutes []minute, scrapes float64) latency.Window {
	w := latency.Window{Scrapes: scrapes, Parts: make([]latency.Histogram, parts)}
	for p := range parts {
		var sum minute
		for _, m := range minutes[p*minutesPerPart : (p+1)*minutesPerPart] {
			sum.attempts += m.attempts
			sum.above += m.above
		}
		w.Parts[p] = latency.Histogram{Scheme: latency.Classic, Bins: []latency.Bin{
			{Lower: 0, Upper: onlyBound, Count: sum.attempts - sum.above},
			{Lower: onlyBound, Upper: math.Inf(1), Count: sum.above},
		}}
	}
	return w
}
