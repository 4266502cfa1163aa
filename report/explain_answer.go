package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// mostBins is how many bins the table shows; of more, the lowest are one row.
const mostBins = 40

// answer is section 2.
func (e *explanation) answer() {
	e.heading("What came back (§2)")
	if !e.Known() || e.Tail == nil {
		e.say("Nothing that could be read: %s, %s", e.Status, printable(e.Detail))
		if e.LastGood != nil {
			e.say("The last answer is of %s: --time %s explains what it was.", moment(e.LastGood.At), moment(e.LastGood.At))
		}
		return
	}
	o := e.Observation
	if len(e.Tail.Merged.Bins) == 0 {
		e.say("No buckets that can be added up: %s", printable(e.Detail))
	} else {
		e.counts(o)
		e.bins(e.Tail.Merged)
	}
	e.quantiles(o)
	e.mean(e.Tail.Merged)
}

// counts is how honest N comes from what the server answered.
func (e *explanation) counts(o latency.Observation) {
	parts := len(o.Now.Parts)
	before := slices.ContainsFunc(e.Tail.Readings, func(r latency.Reading) bool { return r.Before != nil })
	e.say("A window of %s, in parts: %d%s; a %s histogram of %s.", model.Duration(o.Window), parts,
		map[bool]string{true: ", and the window before it", false: ""}[before],
		e.Tail.Merged.Scheme, e.unit())
	if len(o.Now.Whole.Bins) > 0 {
		e.say("The window was asked for as a whole, its parts at some bounds alone: increase() stretches each by itself, so the parts do not quite add up to it.")
	}
	m := o.Now.Scrapes
	switch honest := o.Now.Honest(); {
	case math.IsInf(m, 1):
		e.formula("the counts are the counters' own, nothing is extrapolated: N = %s", digits(e.Tail.Samples))
	case honest <= 0:
		e.formula("m = %s samples per series in a part: too few to count anything", digits(m))
	default:
		e.formula("m = %s samples per series in a part, %s in the window", digits(m), digits(e.Tail.Scrapes))
		e.formula("increase() stretches at most (m+1)/(m-1), so counts are shrunk by (m-1)/(m+1) = %s/%s = %s",
			digits(m-1), digits(m+1), digits(honest))
		e.formula("N = %s · %s = %s", digits(e.Tail.Counted), digits(honest), digits(e.Tail.Samples))
	}
}

// bins is the merged histogram, its lowest bins as one where there are many.
func (e *explanation) bins(h latency.Histogram) {
	total := h.Total()
	if !(total > 0) {
		e.say("All bins are empty.")
		return
	}
	rows := [][]string{{"bin in s", "count", "above it", "share above"}}
	above, skipped := total, 0.0
	first := max(len(h.Bins)-mostBins, 0)
	for i, b := range h.Bins {
		above -= b.Count
		if i < first {
			skipped += b.Count
			continue
		}
		count, name := b.Count, interval(b)
		if i == first && first > 0 {
			count, name = count+skipped, fmt.Sprintf("up to %s, %d bins", digits(b.Upper), first+1)
		}
		rest := restAbove(above, total)
		rows = append(rows, []string{name + holds(b, e.Tail.Timeout), digits(count), digits(rest), digits(rest / total)})
	}
	e.table(rows)
}

// restAbove clears what rounding leaves of a sum from which all was taken.
func restAbove(above, total float64) float64 {
	if above < 1e-9*total {
		return 0
	}
	return above
}

func interval(b latency.Bin) string { return fmt.Sprintf("(%s, %s]", digits(b.Lower), digits(b.Upper)) }

// holds marks the bin in which, or at whose end, the timeout lies.
func holds(b latency.Bin, timeout float64) string {
	if timeout > 0 && b.Lower < timeout && timeout <= b.Upper {
		return "  < T"
	}
	return ""
}

func (e *explanation) quantiles(o latency.Observation) {
	if o.QuantilesOnly {
		for _, q := range o.Quantiles {
			e.formula("the %s quantile = %s s, as asked for", digits(q.P), digits(q.Seconds))
		}
		return
	}
	e.formula("p50 = %s, p99 = %s, by the server's own histogram_quantile", knownSeconds(o.P50), knownSeconds(o.P99))
	if e.Tail.Merged.Total() > 0 {
		e.quantileOf(0.5)
		e.quantileOf(0.99)
	}
	if e.P99LowerBound {
		e.say("The rank of p99 lies in the last bin: p99 is at least that bin's lower end.")
	}
}

// quantileOf shows how a quantile is read off the table.
func (e *explanation) quantileOf(q float64) {
	h := e.Tail.Merged
	value, bounded := h.Quantile(q)
	rank := q * h.Total()
	b, below := binOfRank(h, rank)
	low, fraction := max(b.Lower, 0), (rank-below)/b.Count
	name := fmt.Sprintf("quantile(%s) off the table", digits(q))
	inBin := fmt.Sprintf("(%s - %s)/%s", digits(rank), digits(below), digits(b.Count))
	switch {
	case !bounded:
		e.formula("%s: rank %s · %s = %s lies in %s, so it is above %s s",
			name, digits(q), digits(h.Total()), digits(rank), interval(b), digits(value))
	case h.Scheme == latency.Exponential && low > 0 && near(low*math.Pow(b.Upper/low, fraction), value):
		e.formula("%s: %s · (%s/%s)^(%s) = %s s", name, digits(low), digits(b.Upper), digits(low), inBin, digits(value))
	case near(low+(b.Upper-low)*fraction, value):
		e.formula("%s: %s + (%s - %s)·%s = %s s", name, digits(low), digits(b.Upper), digits(low), inBin, digits(value))
	default: // the rank lies on an end of a bin
		e.formula("%s = %s s", name, digits(value))
	}
}

// binOfRank returns the bin that holds a rank and the count of those below it.
func binOfRank(h latency.Histogram, rank float64) (b latency.Bin, below float64) {
	for _, b := range h.Bins {
		if b.Count > 0 && below+b.Count >= rank {
			return b, below
		}
		below += b.Count
	}
	return latency.Bin{}, below
}

// near reports whether a formula as it is printed gives the figure beside it.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

func (e *explanation) mean(h latency.Histogram) {
	if mean, ok := h.Mean(); ok {
		e.formula("mean = sum/count = %s/%s = %s s", digits(*h.Sum), digits(h.Total()), digits(mean))
	}
}

// unit is what the histogram counts.
func (e *explanation) unit() string {
	if e.callScope() {
		return "calls"
	}
	return "attempts"
}

func (e *explanation) callScope() bool { return e.Assessment.Dependency.Latency.Scope == "call" }
