package latency

import "math"

// Evidence is what the counts of one window say about P(X > timeout). Counts
// are honest, that is shrunk by Window.Honest, and not yet divided by the
// dispersion: Lower and Upper do that.
type Evidence struct {
	Above    float64 // surely above the timeout: what a lower limit may count
	Possible float64 // possibly above it: what an upper limit must count
	Total    float64

	// Dispersion is d of docs/model.md §2, at least 1, of the counts Above, and
	// PossibleDispersion of those Possible; 0 is as Dispersion.
	Dispersion, PossibleDispersion float64

	PartsWithAbove int // parts of the window with at least one value surely above
}

// countSlack keeps the rounding of shrunk counts from turning 27 into 26.
const countSlack = 1e-9

// Lower returns the one-sided Clopper–Pearson lower limit at the given
// confidence, with the counts divided by the dispersion and the hits rounded
// down.
func (e Evidence) Lower(confidence float64) float64 {
	k, n := e.surely()
	return BinomialLower(k, n, confidence)
}

// surely is what a lower limit rests on.
func (e Evidence) surely() (hits, trials float64) {
	d := max(e.Dispersion, 1)
	return math.Floor(e.Above/d + countSlack), e.Total / d
}

// Upper returns the one-sided Clopper–Pearson upper limit at the given
// confidence, with the counts divided by the dispersion and the hits rounded up.
func (e Evidence) Upper(confidence float64) float64 {
	k, n := e.possibly()
	return BinomialUpper(k, n, confidence)
}

// possibly is what an upper limit rests on.
func (e Evidence) possibly() (hits, trials float64) {
	d := max(e.PossibleDispersion, 1)
	if e.PossibleDispersion == 0 {
		d = max(e.Dispersion, 1)
	}
	return math.Ceil(e.Possible/d - countSlack), e.Total / d
}

// exceeds reports whether the lower limit at a confidence exceeds a threshold.
func (e Evidence) exceeds(confidence, threshold float64) bool {
	k, n := e.surely()
	return lowerExceeds(k, n, confidence, threshold)
}

// staysBelow reports whether the upper limit at a confidence is below a
// threshold.
func (e Evidence) staysBelow(confidence, threshold float64) bool {
	k, n := e.possibly()
	return upperBelow(k, n, confidence, threshold)
}

// widest returns the larger of both dispersions.
func (e Evidence) widest() float64 { return max(e.Dispersion, e.PossibleDispersion, 1) }

// counter is what a reading counts in a histogram.
type counter func(Histogram) float64

func surelyAbove(t float64) counter {
	return func(h Histogram) float64 { sure, _ := h.CountAbove(t); return sure }
}

func possiblyAbove(t float64) counter {
	return func(h Histogram) float64 { _, possible := h.CountAbove(t); return possible }
}

func atOrAbove(t float64) counter {
	return func(h Histogram) float64 { return h.countFrom(t) }
}

// evidence counts the values of a window that are surely and possibly above a
// timeout, as the reading at hand has them.
func (w Window) evidence(sure, possible counter) Evidence {
	const usual = 12 // parts, so that nothing is allocated for them
	var counts [3][usual]float64
	honest := w.Honest()
	above, maybe, totals := counts[0][:0], counts[1][:0], counts[2][:0]
	e := Evidence{}
	for _, part := range w.Parts {
		n := part.Total() * honest
		if n <= 0 {
			continue
		}
		k, m := sure(part)*honest, possible(part)*honest
		if k >= 1-countSlack {
			e.PartsWithAbove++
		}
		e.Above, e.Possible, e.Total = e.Above+k, e.Possible+m, e.Total+n
		above, maybe, totals = append(above, k), append(maybe, m), append(totals, n)
	}
	e.Dispersion, e.PossibleDispersion = dispersion(above, totals), dispersion(maybe, totals)
	if len(w.Whole.Bins) > 0 {
		e.Above, e.Possible, e.Total = sure(w.Whole)*honest, possible(w.Whole)*honest, w.Whole.Total()*honest
	}
	return e
}

// dispersionBelow returns the dispersion of the counts above the highest bound
// below t that has enough of them. It stands in where nothing above t was
// recorded: bursts of slow attempts show below the timeout too.
func (w Window) dispersionBelow(h Histogram, t float64) float64 {
	if i := h.bursts(t, w.Honest(), len(w.Parts)); i > 0 {
		bound := h.Bins[i].Lower
		return w.evidence(surelyAbove(bound), surelyAbove(bound)).Dispersion
	}
	return 1
}

// dispersion returns by how much counts k of n per part vary more than binomial
// ones would: Pearson's chi-square over its degrees of freedom, at least 1
// (docs/model.md §2). Twelve parts are meant; fewer leave fewer degrees of
// freedom and a rougher figure, and a single part none, which is 1.
//
// Source: McCullagh and Nelder, Generalized Linear Models, 2nd ed., §4.5.
func dispersion(k, n []float64) float64 {
	var hits, total float64
	for i := range k {
		hits += k[i]
		total += n[i]
	}
	p := hits / total
	if len(k) < 2 || !(p > 0 && p < 1) {
		return 1
	}
	square := 0.0
	for i := range k {
		expected := n[i] * p
		square += (k[i] - expected) * (k[i] - expected) / (expected * (1 - p))
	}
	return max(1, square/float64(len(k)-1))
}
