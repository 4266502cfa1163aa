package main

import (
	"fmt"
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// alarm is a timeout that lies below p99.
type alarm struct {
	perWindow int
	ratio     float64 // timeout ÷ p99, both windows full of it at the first look
	from      float64 // timeout ÷ p99 until the first minute; 0: always ratio
}

// raised is how long an alarm took, over many runs.
type raised struct {
	alarm
	after []float64 // minutes until it fired, by run; +Inf: not within two windows
}

const (
	alarmRuns  = 400
	alarmSigma = .8 // of the lognormal latency
)

// alarms lists timeouts below p99, each found at once and after a change.
func alarms() []alarm {
	var all []alarm
	for _, n := range []int{1000, 5000, 20_000} {
		for _, ratio := range []float64{.9, .8, .7, .5} {
			for _, from := range []float64{0, 1.5} {
				all = append(all, alarm{perWindow: n, ratio: ratio, from: from})
			}
		}
	}
	return all
}

// tail returns P(X > ratio·p99) of the lognormal.
func (a alarm) tail(ratio float64) float64 {
	z := latency.NormalSurvivalQuantile(judged)
	return latency.NormalSurvival(z + math.Log(ratio)/alarmSigma)
}

// raise runs the alarm. Scrapes are 15 s apart, and counts shrunk accordingly:
// fires come hardest so.
func (a alarm) raise(run int) float64 {
	const scrapes = minutesPerPart * 4
	before := a.ratio
	if a.from > 0 {
		before = a.from
	}
	r := generator(fmt.Sprintf("alarm/%+v/%d", a, run))
	flat := func(ratio float64) *stream {
		return &stream{traffic: traffic{perWindow: a.perWindow, base: a.tail(ratio), longRun: a.tail(ratio)}, r: r}
	}
	w := watcher{scrapes: scrapes}
	old := flat(before)
	for range 2 * minutesPerWindow {
		w.look(old.next())
	}
	if w.standing = w.standing && a.from == 0; w.standing {
		return 0 // at the very first look
	}
	now := flat(a.ratio)
	for i := range 2 * minutesPerWindow {
		if w.look(now.next()); w.standing {
			return float64(i + 1)
		}
	}
	return math.Inf(1)
}
