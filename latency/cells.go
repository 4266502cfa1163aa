package latency

import (
	"errors"
	"math"
)

// The reasons why a histogram has no maximum-likelihood lognormal.
var (
	ErrNoEstimate = errors.New("the bins that hold values are too few to fit a lognormal")
	ErrTooWide    = errors.New("the fitted sigma is above 10: no lognormal describes the bins")
)

// cell is a bin that holds values, in log seconds: −Inf and +Inf at the ends.
type cell struct {
	lower, upper, count float64
}

// logBound returns ln t, −Inf for all that is not above 0.
func logBound(t float64) float64 { return math.Log(max(t, 0)) }

// cells returns the bins that hold values.
func (h Histogram) cells() []cell {
	cells := make([]cell, 0, len(h.Bins)+1)
	for _, b := range h.Bins {
		if b.Count > 0 && b.Upper > 0 {
			cells = append(cells, cell{logBound(b.Lower), logBound(b.Upper), b.Count})
		}
	}
	return cells
}

// cellsBelow returns the bins that end below t, and the end of the last of
// them or, where t lies in a gap between bins, t: from there on all values may
// have been moved by a timeout of t. The count above is of all others.
func (h Histogram) cellsBelow(t float64) (below []cell, from, above float64) {
	t = h.snap(t)
	from = logBound(t)
	for i, b := range h.Bins {
		if b.Upper < t {
			if b.Count > 0 && b.Upper > 0 {
				below = append(below, cell{logBound(b.Lower), logBound(b.Upper), b.Count})
			}
			continue
		}
		from = min(from, logBound(h.floor(i)))
		above += b.Count
	}
	return below, from, above
}

// cellsUpTo returns the bins up to t, the one that holds t cut off there, as a
// histogram has them in which nothing above t was recorded.
func (h Histogram) cellsUpTo(t float64) []cell {
	t = h.snap(t)
	var cells []cell
	for i, b := range h.Bins {
		if h.floor(i) < t && b.Count > 0 && b.Upper > 0 {
			cells = append(cells, cell{logBound(b.Lower), logBound(min(b.Upper, t)), b.Count})
		}
	}
	return cells
}

// estimable reports whether the likelihood has a maximum: not with the mass in
// one cell or two adjacent ones, where sigma goes to 0, nor in the two end
// cells only, where it goes to infinity.
func estimable(cells []cell) bool {
	switch len(cells) {
	case 0, 1:
		return false
	case 2:
		first, last := cells[0], cells[1]
		adjacent := first.upper == last.lower
		ends := math.IsInf(first.lower, -1) && math.IsInf(last.upper, 1)
		return !adjacent && !ends
	}
	return true
}
