package latency

import "math"

// dropped reads a histogram that has lost the attempts cut off. What it has
// above the timeout all the same is above it; the rest is what the bins below
// lead to expect, as a point and as upper limits. expected is the lower limit
// of the same at 95%.
func (r reader) dropped() (reading Reading, expected float64) {
	reading = r.counted(RecordingDropped, possiblyAbove(r.timeout))
	// The bin that holds the timeout ends there: nothing in it was cut off.
	reading.Now = withoutPossible(reading.Now)
	if reading.Before != nil {
		before := withoutPossible(*reading.Before)
		reading.Before = &before
	}
	reading.Extrapolated = true
	d := max(reading.Now.Dispersion, r.now.dispersionBelow(r.merged, r.timeout))
	reading.Now.PossibleDispersion = d
	spread := d / r.honest
	x := extrapolate(r.merged, r.timeout, spread)
	// A lognormal bends down beyond the timeout, a heavy tail need not.
	reading.ClearLimit = max(x.clearLimit, r.merged.powerTailLimit(r.timeout, clearAt, spread))
	reading.Lower = reading.Now.Lower(bracketSide)
	reading.Upper = max(reading.Now.Upper(bracketSide), x.bracketLimit, r.merged.powerTailLimit(r.timeout, bracketSide, spread))
	return reading.at(x.point, x.method), x.lower
}

func withoutPossible(e Evidence) Evidence {
	e.Possible, e.PossibleDispersion = e.Above, e.Dispersion
	return e
}

// extrapolation is what the bins below a timeout lead to expect above it.
type extrapolation struct {
	point, lower             float64
	clearLimit, bracketLimit float64 // upper limits at 95% and at 99.5%
	method                   string
}

// extrapolate fits a truncated lognormal to the bins below t, and where it
// misfits to the upper half of the values, the upper tenth, twentieth and so
// on, until one fits. Where none does the limits are those of conservative. d
// is the dispersion of the histogram's counts.
func extrapolate(h Histogram, t, d float64) extrapolation {
	below := h.cellsUpTo(t)
	seen := newLikelihood(below, 0).total
	tried := 0
	for tail := 1.0; tail*seen >= tailCount*d; tail = narrower(tail) {
		// What lies far from the tail is one bin and must not bend it.
		cells := lump(below, (1-tail)*seen)
		if len(cells) == tried {
			continue
		}
		tried = len(cells)
		fit, err := fitCells(cells, logBound(t))
		if err != nil || misfitBelow(cells, truncated{fit.Lognormal, t}, d).beyondChance(seen/d) {
			continue
		}
		return extrapolation{
			point:        fit.Survival(t),
			lower:        fit.SurvivalLower(t, clearAt, d),
			clearLimit:   fit.SurvivalUpper(t, clearAt, d),
			bracketLimit: fit.SurvivalUpper(t, bracketSide, d),
			method:       MethodTruncated,
		}
	}
	return conservative(below, t, seen/d)
}

// narrower returns the next share of the values that counts as the tail.
func narrower(tail float64) float64 {
	switch tail {
	case 1:
		return 0.5
	case 0.5:
		return 0.1
	}
	return tail / 2
}

// lump adds up the lowest cells to one, up to the given count.
func lump(cells []cell, count float64) []cell {
	for i := range cells {
		if count -= cells[i].count; count >= 0 {
			continue
		}
		if i == 0 {
			return cells
		}
		whole := cell{lower: math.Inf(-1), upper: cells[i].lower}
		for _, c := range cells[:i] {
			whole.count += c.count
		}
		return append([]cell{whole}, cells[i:]...)
	}
	return cells
}

// truncated is a lognormal of which nothing above at was recorded.
type truncated struct {
	Lognormal
	at float64
}

// Survival returns P(X > t | X ≤ at).
func (c truncated) Survival(t float64) float64 {
	cut := c.Lognormal.Survival(c.at)
	return max(c.Lognormal.Survival(t)-cut, 0) / max(1-cut, smallestShare)
}

// misfitBelow compares cells with a model of them.
func misfitBelow(cells []cell, model distribution, d float64) Misfit {
	h := Histogram{Scheme: Classic}
	for _, c := range cells {
		h.Bins = append(h.Bins, Bin{Lower: math.Exp(c.lower), Upper: math.Exp(c.upper), Count: c.count})
	}
	return misfit(h, model, d)
}

// wideSigma is wider than latencies of one kind of call are: 0.3 to 1.5.
const wideSigma = 2

// conservative stands in where the occupied bins are too few for a fit: the
// lognormal of sigma 2 that has as much above the last occupied bin as n values
// without one there allow. Where that bin reaches the timeout anything is
// possible.
func conservative(below []cell, t, n float64) extrapolation {
	x := extrapolation{clearLimit: 1, bracketLimit: 1, method: MethodConservative}
	if len(below) == 0 {
		return x
	}
	distance := (logBound(t) - below[len(below)-1].upper) / wideSigma
	if !(distance > 0) {
		return x
	}
	limit := func(confidence float64) float64 {
		return NormalSurvival(NormalSurvivalQuantile(BinomialUpper(0, n, confidence)) + distance)
	}
	x.clearLimit, x.bracketLimit = limit(clearAt), limit(bracketSide)
	return x
}
