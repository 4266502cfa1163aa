package latency

import "math"

// Verdict says on which side of a threshold P(X > timeout) lies.
type Verdict string

const (
	VerdictAbove     Verdict = "above"     // the counts show more than the threshold
	VerdictBelow     Verdict = "below"     // the counts show less
	VerdictUncertain Verdict = "uncertain" // they show neither: keep what was said last
)

// The confidences of a verdict (docs/model.md §8). Looking every minute for a
// year is half a million looks, so a single window must be far surer than two
// disjoint ones that agree.
const (
	fireAlone    = 0.99999
	fireTwice    = 0.999
	clearAt      = 0.95
	bracketSide  = 0.995 // each side of the hard bracket
	thinAbove    = 10    // values above that thin data need to fire,
	thinParts    = 3     // in at least so many parts
	p99Tail      = 0.01
	thinnest     = p99Tail // below what this threshold needs, single episodes never fire
	leastScrapes = 10      // samples per series in a window; fewer are thin data
)

// Compare decides whether P(X > timeout) is above the threshold under this
// reading, by limits on counts and never by the point estimate.
//
// It fires when the lower limit exceeds the threshold at 99.999%, or at 99.9%
// in this window and in the one before. It clears when the upper limit is
// below the threshold at 95%. An extrapolation never fires: where the histogram
// has lost the attempts cut off, only those count that it has above the timeout
// all the same. To clear, its own limit must be below the threshold as well.
func (r Reading) Compare(threshold float64) Verdict {
	switch {
	case r.fires(threshold):
		return VerdictAbove
	case r.clears(threshold):
		return VerdictBelow
	}
	return VerdictUncertain
}

// fires compares with the least threshold that so many values could rule out
// where they are too few for the given one, so that what fires at a threshold
// fires at every lower one too.
func (r Reading) fires(threshold float64) bool {
	if r.Now.thin(threshold) && !r.Now.spread() {
		threshold = max(threshold, r.Now.leastRuledOut())
	}
	if r.Now.thin(thinnest) && !r.Now.spread() {
		return false
	}
	if r.Now.exceeds(fireAlone, threshold) {
		return true
	}
	return r.Before != nil && r.Now.exceeds(fireTwice, threshold) && r.Before.exceeds(fireTwice, threshold)
}

func (r Reading) clears(threshold float64) bool {
	if r.Now.thin(threshold) || !r.Now.staysBelow(clearAt, threshold) {
		return false
	}
	return !r.Extrapolated || r.ClearLimit < threshold
}

// leastRuledOut is the lowest threshold that the window would rule out without a
// single value above the timeout: the rule of three, turned around.
func (e Evidence) leastRuledOut() float64 {
	return -math.Expm1(math.Log1p(-clearAt) / max(e.Total, 1))
}

// thin reports whether the window could not rule the threshold out even
// without a single value above the timeout.
func (e Evidence) thin(threshold float64) bool {
	return e.Total+countSlack < float64(RuleOfThree(threshold, clearAt))
}

// spread reports whether thin data may fire: values above the timeout are many
// and no single episode.
func (e Evidence) spread() bool {
	return e.Above+countSlack >= thinAbove && e.PartsWithAbove >= thinParts
}

// Compare decides whether P(X > timeout) is above the threshold. Every reading
// of what became of attempts cut off must agree, else it is uncertain, as it is
// with fewer than 10 samples per series in the window.
func (t Tail) Compare(threshold float64) Verdict {
	if t.Blocked || len(t.Readings) == 0 || t.Scrapes < leastScrapes {
		return VerdictUncertain
	}
	verdict := t.Readings[0].Compare(threshold)
	for _, r := range t.Readings[1:] {
		if r.Compare(threshold) != verdict {
			return VerdictUncertain
		}
	}
	return verdict
}
