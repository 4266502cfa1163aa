package latency

import (
	"fmt"
	"math"
	"slices"
)

// doubts are the reasons that the histogram itself gives, with a sentence each.
type doubts struct {
	reasons []Reason
	details []string
	blocked bool // the data contradict themselves
}

func (d *doubts) add(reason Reason, format string, args ...any) {
	d.reasons = append(d.reasons, reason)
	d.details = append(d.details, fmt.Sprintf(format, args...))
}

func (d *doubts) block(reason Reason, format string, args ...any) {
	d.add(reason, format, args...)
	d.blocked = true
}

// sound reports whether every part is a histogram: bins in order, with bounds
// and counts that are numbers.
func (w Window) sound() bool {
	return w.Whole.sound() && !slices.ContainsFunc(w.Parts, func(h Histogram) bool { return !h.sound() })
}

func (h Histogram) sound() bool {
	last := math.Inf(-1)
	for _, b := range h.Bins {
		ordered := b.Lower >= last && b.Upper > b.Lower || equalBound(b.Lower, last) && b.Upper > last
		if !ordered || !countable(b.Count) {
			return false
		}
		last = b.Upper
	}
	return !math.IsInf(h.Total(), 1)
}

const (
	oneBin       = 0.95 // share of the values in one bin that leaves nothing resolved
	unitSuspect  = 10   // factor between mean and bin that a mistaken unit explains
	meanSlack    = 2    // factor by which the mean may miss its limits before it contradicts
	coarseSecond = 1.0  // a first bound from here on was meant in milliseconds
)

// examine looks for what the merged histogram cannot say. unit is the length in
// seconds of the unit in which it is kept.
func (h Histogram) examine(unit float64) doubts {
	var d doubts
	total := h.Total()
	if !(total > 0) {
		return d
	}
	if highest, bounded := h.Quantile(1 - p99Tail); !bounded {
		d.add(ReasonTopBucket, "p99 lies beyond the highest bucket bound, %s: it is at least that, and higher bounds are needed to see it", seconds(highest))
	}
	first := slices.IndexFunc(h.Bins, func(b Bin) bool { return b.Upper > 0 })
	resolved := true
	if h.Scheme != Exponential && first >= 0 && !math.IsInf(h.Bins[first].Upper, 1) && h.Bins[first].Count >= oneBin*total {
		resolved = false
		d.add(ReasonFirstBucket, "%.3g%% of all values lie in the first bucket, up to %s: nothing below it is resolved",
			100*h.Bins[first].Count/total, seconds(h.Bins[first].Upper))
	}
	mean, ok := h.Mean()
	if !ok {
		return d
	}
	low, high := h.meanLimits()
	switch {
	case mean < low/meanSlack || mean > high*meanSlack:
		d.block(ReasonUnitMismatch, "sum ÷ count is %s, and the buckets put the mean between %s and %s", seconds(mean), seconds(low), seconds(high))
	case !resolved && (unit < 1 || h.Bins[first].Upper >= coarseSecond) && mean < h.Bins[first].Upper/unitSuspect:
		d.block(ReasonUnitMismatch, "sum ÷ count is %s, far below the first bucket bound %s: were seconds observed into millisecond buckets?",
			seconds(mean), seconds(h.Bins[first].Upper))
	case h.beyondAll(mean):
		d.block(ReasonUnitMismatch, "sum ÷ count is %s, and nearly all values lie beyond the highest bucket bound: were milliseconds observed into second buckets?", seconds(mean))
	}
	return d
}

// meanLimits returns the least and the greatest mean that the bins allow.
func (h Histogram) meanLimits() (low, high float64) {
	total := h.Total()
	for i, b := range h.Bins {
		if b.Count > 0 {
			low += b.Count / total * max(h.floor(i), 0)
			high += b.Count / total * b.Upper
		}
	}
	return low, high
}

// beyondAll reports whether nearly all values lie in the +Inf bin, and far above
// its lower end.
func (h Histogram) beyondAll(mean float64) bool {
	last := h.Bins[len(h.Bins)-1]
	return math.IsInf(last.Upper, 1) && last.Count >= oneBin*h.Total() && mean > unitSuspect*last.Lower
}
