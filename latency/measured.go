package latency

import "math"

// measured reads P(X > timeout) off counters. It is false without a counter of
// timeouts, and where the counters contradict each other. Counters have no
// parts, so the dispersion is that of the histogram's counts.
func (r reader) measured() (Reading, bool) {
	now, ok := r.counters(r.now, r.opts.Attempts, r.opts.Timeouts)
	if !ok {
		return Reading{}, false
	}
	reading := Reading{Recording: RecordingMeasured, Now: now, Spike: r.spike}
	if before, ok := r.counters(r.before, r.opts.BeforeAttempts, r.opts.BeforeTimeouts); ok {
		reading.Before = &before
	}
	reading.Lower, reading.Upper = now.Lower(bracketSide), now.Upper(bracketSide)
	return reading.at(now.Above/now.Total, MethodMeasured), true
}

// counters turns counts over a window into evidence. Without a counter of
// attempts the histogram stands in: recorded timeouts are in it, others are
// added.
func (r reader) counters(w Window, attempts, timeouts *float64) (Evidence, bool) {
	if timeouts == nil || !countable(*timeouts) {
		return Evidence{}, false
	}
	honest := shrinkage(w.TotalScrapes())
	total := 0.0
	switch {
	case attempts != nil:
		total = *attempts
	default:
		for _, part := range w.Parts {
			total += part.Total()
		}
		if r.opts.Recording != RecordingRecorded {
			total += *timeouts
		}
	}
	const noise = 1.05 // counters are not read at the same instant
	if !countable(total) || total*honest <= 0 || *timeouts > noise*total {
		return Evidence{}, false
	}
	k := min(*timeouts, total) * honest
	return Evidence{Above: k, Possible: k, Total: total * honest, Dispersion: r.burstiness(w)}, true
}

// burstiness returns the dispersion of what the histogram has above the
// timeout, or below it where it has nothing there.
func (r reader) burstiness(w Window) float64 {
	above := w.evidence(surelyAbove(r.timeout), surelyAbove(r.timeout)).Dispersion
	return max(above, w.dispersionBelow(r.merged, r.timeout))
}

func countable(n float64) bool { return n >= 0 && !math.IsInf(n, 1) }

// crossChecked keeps the counters' reading alone unless the histogram has
// significantly more above the timeout than was counted: then the declared
// timeout is not the one in force, or the counter is not of these calls, and
// both stand.
func (r reader) crossChecked(measured Reading) []Reading {
	histogram := r.uncensoredReading()
	if histogram.Now.Lower(fireTwice) > measured.Now.Upper(fireTwice) {
		return []Reading{measured, histogram}
	}
	return []Reading{measured}
}
