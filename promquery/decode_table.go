package promquery

import (
	"cmp"
	"math"
	"slices"
)

// decodeClassic reads counts over a range into one part per moment, with the
// given bounds in seconds and +Inf, or all of them where bounds is nil. The
// answer may have more: it may have been asked for together with others. What is
// wrong with one part is said by that part.
func decodeClassic(a answer, g grid, u unit, bounds []float64) ([]part, *Error) {
	t := newTable(g.n, len(a.rows))
	wanted := func(l *labelSet) bool {
		return bounds == nil || math.IsNaN(l.bound) || math.IsInf(l.bound, 1) || slices.Contains(bounds, u.seconds(l.bound))
	}
	var (
		sums   = make([]*float64, g.n)
		row    *labelSet
		column int // of row; none where the bound is not wanted
	)
	err := columns(a, g, func(i int, l *labelSet, v point) *Error {
		if isSum(l, v) {
			if bounds == nil && !math.IsNaN(v.number) && !math.IsInf(v.number, 0) {
				sum := v.number // by itself: a point that escapes is allocated for every sample
				sums[i] = &sum
			}
			return nil
		}
		if l != row {
			if row, column = l, none; wanted(l) {
				column = t.column(l.bound)
			}
		}
		if column == none {
			return nil
		}
		if err := noBucket(l, v); err != nil {
			return err
		}
		t.add(column, i, v.number)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t.parts(sums, u), nil
}

const none = -1

// table holds cumulative counts by bound and moment.
type table struct {
	n      int // moments
	bounds []float64
	counts []float64 // of the first bound at all moments, of the second, …
	known  []bool    // which of them were answered
}

func newTable(moments, bounds int) *table {
	return &table{
		n: moments, bounds: make([]float64, 0, bounds),
		counts: make([]float64, moments*bounds), known: make([]bool, moments*bounds),
	}
}

// column is where the counts of a bound are. Spellings of one bound, "1" and
// "1.0", are one bound.
func (t *table) column(bound float64) int {
	if i := slices.Index(t.bounds, bound); i >= 0 {
		return i
	}
	t.bounds = append(t.bounds, bound)
	return len(t.bounds) - 1
}

func (t *table) add(column, moment int, count float64) {
	t.counts[column*t.n+moment] += count
	t.known[column*t.n+moment] = true
}

func (t *table) parts(sums []*float64, u unit) []part {
	order := make([]int, len(t.bounds))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.bounds[a], t.bounds[b]) })
	bounds, counts := make([]float64, 0, len(order)), make([]float64, 0, len(order))
	parts := make([]part, t.n)
	for moment := range parts {
		bounds, counts = bounds[:0], counts[:0]
		for _, column := range order {
			if at := column*t.n + moment; t.known[at] {
				bounds, counts = append(bounds, u.seconds(t.bounds[column])), append(counts, t.counts[at])
			}
		}
		parts[moment] = classicPart(bounds, counts, sums[moment], u)
	}
	return parts
}
