package latency

import "math"

// A timeout leaves a spike in the histogram that records what it cut off:
// timers fire a little late, clients round, so the spike lies in the bin that
// ends at the timeout, in the one that holds it, or shortly beyond.
const (
	lateFactor  = 1.1   // up to so many timeouts,
	lateSeconds = 0.010 // and at least so much later, a late timer may be
	spikeReach  = 1.3   // the bins compared with reach down to the timeout ÷ this
	spikeSurety = 0.999 // that the density rises
	spikeExcess = 1.25  // times what the other bins lead to expect in the bin
	holeKS      = 0.02  // how well the other bins must fit for that
)

// beyondLate returns the time in seconds from which on a value can no longer be
// an attempt that was cut off at t.
func beyondLate(t float64) float64 { return max(lateFactor*t, t+lateSeconds) }

// spikeAt reports whether values pile up around t: in a bin there the density
// in log time is higher than just below, or there is over 1.25 times what the
// other bins lead to expect, beyond chance for counts of dispersion d. Beyond
// its mode a latency's density falls, so that a rise at the very timeout is the
// timeout's work. A false alarm costs little: it keeps open what became of
// attempts cut off.
func (h Histogram) spikeAt(t, d float64) bool {
	t = h.snap(t)
	for i, b := range h.Bins {
		if b.Upper < t || h.floor(i) >= beyondLate(t) || b.Count <= 0 || h.floor(i) <= 0 || math.IsInf(b.Upper, 1) {
			continue
		}
		if h.rises(i, t, d) || h.exceedsOthers(i, d) {
			return true
		}
	}
	return false
}

// rises compares the density in bin i, at or above t, with that below t. Given
// the count in both, the share of bin i is binomial.
func (h Histogram) rises(i int, t, d float64) bool {
	edge := t
	for j := range h.Bins {
		if h.Bins[j].Upper >= t {
			edge = min(t, h.floor(j))
			break
		}
	}
	from, count := edge/spikeReach, 0.0
	for j, b := range h.Bins {
		if b.Upper > edge || !(h.floor(j) >= edge/spikeReach || equalBound(b.Upper, edge)) {
			continue
		}
		count += b.Count
		from = min(from, max(h.floor(j), edge/10)) // a bin from 0 has no width in log time
	}
	if !(edge > 0) {
		return false
	}
	width, widthBelow := math.Log(h.Bins[i].Upper/h.floor(i)), math.Log(edge/from)
	n := h.Bins[i].Count
	return lowerExceeds(math.Floor(n/d), (n+count)/d, spikeSurety, width/(width+widthBelow))
}

// exceedsOthers compares bin i with the lognormal of all other bins, found by
// filling the bin with what the fit puts there until both agree. The fuller the
// bin, the more a fit puts there, so what is filled in only grows: once it
// explains the count the rest need not be found.
func (h Histogram) exceedsOthers(i int, d float64) bool {
	others := Histogram{Scheme: h.Scheme, Bins: append([]Bin(nil), h.Bins...)}
	b := &others.Bins[i]
	n, total := h.Bins[i].Count, h.Total()
	rest := total - n
	explained := func() bool {
		return !lowerExceeds(math.Floor(n/d), total/d, spikeSurety, spikeExcess*b.Count/(rest+b.Count))
	}
	b.Count = 0
	const rounds = 30
	for range rounds {
		fit, err := fitCells(others.cells(), math.Inf(1))
		if err != nil {
			return false
		}
		share := fit.Survival(h.floor(i)) - fit.Survival(b.Upper)
		expected := rest * share / (1 - share)
		settled := math.Abs(expected-b.Count) <= 1e-3*(1+expected)
		b.Count = expected
		if explained() {
			return false
		}
		if settled {
			break
		}
	}
	fit, err := FitBinned(others)
	return err == nil && !(fit.Misfit.KS > holeKS)
}
