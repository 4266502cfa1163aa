package latency

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrMixedBuckets says that the parts of a window do not share their bounds.
var ErrMixedBuckets = errors.New("the bucket bounds change inside the window")

// Merged returns the whole window, or the sum of its parts where it was not
// asked for as a whole. Classic parts must share their
// bounds, else it is ErrMixedBuckets. Native ones leave out empty bins, so
// theirs are united; where a finer and a coarser layout meet, the finer bins
// are added to the coarser ones. Parts without bins hold nothing.
func (w Window) Merged() (Histogram, error) {
	if len(w.Whole.Bins) > 0 {
		return w.Whole, nil
	}
	var parts []Histogram
	for _, part := range w.Parts {
		if len(part.Bins) > 0 {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return Histogram{}, nil
	}
	if err := w.uniform(); err != nil {
		return Histogram{}, err
	}
	merged := Histogram{Scheme: parts[0].Scheme, Sum: new(float64)}
	var bins []Bin
	for _, part := range parts {
		bins = append(bins, part.Bins...)
		switch {
		case part.Sum == nil:
			merged.Sum = nil
		case merged.Sum != nil:
			*merged.Sum += *part.Sum
		}
	}
	merged.Bins = unite(bins)
	return merged, nil
}

// uniform returns why the parts cannot be added up; nil: they can.
func (w Window) uniform() error {
	var first *Histogram
	for i := range w.Parts {
		part := &w.Parts[i]
		switch {
		case len(part.Bins) == 0:
		case first == nil:
			first = part
		case part.Scheme != first.Scheme:
			return fmt.Errorf("%w: %s and %s", ErrMixedBuckets, first.Scheme, part.Scheme)
		case part.Scheme == Classic && !sameBins(*part, *first):
			return ErrMixedBuckets
		}
	}
	return nil
}

func sameBins(a, b Histogram) bool {
	return slices.EqualFunc(a.Bins, b.Bins, func(a, b Bin) bool {
		return equalBound(a.Lower, b.Lower) && equalBound(a.Upper, b.Upper)
	})
}

func equalBound(a, b float64) bool {
	return a == b || math.Abs(a-b) <= sameBound*math.Abs(a)
}

// unite adds up bins that overlap, as one bin over all that they span.
func unite(bins []Bin) []Bin {
	slices.SortFunc(bins, func(a, b Bin) int {
		return cmp.Or(cmp.Compare(a.Lower, b.Lower), cmp.Compare(b.Upper, a.Upper))
	})
	united := bins[:1]
	for _, b := range bins[1:] {
		last := &united[len(united)-1]
		if b.Lower >= last.Upper || equalBound(b.Lower, last.Upper) {
			united = append(united, b)
			continue
		}
		last.Upper = max(last.Upper, b.Upper)
		last.Count += b.Count
	}
	return united
}

// Honest returns the factor by which the counts of a part are shrunk: with m
// samples per series in it, (m−1)/(m+1). A Scrapes of +Inf stands for a
// histogram read at its source, where nothing is stretched.
func (w Window) Honest() float64 { return shrinkage(w.Scrapes) }

// TotalScrapes returns the number of samples per series in the whole window.
func (w Window) TotalScrapes() float64 {
	if !(w.Scrapes > 0) || len(w.Parts) == 0 {
		return 0
	}
	return w.Scrapes * float64(len(w.Parts))
}

// shrinkage undoes at least what increase() adds over m samples: it stretches
// what it saw between the first and the last of them over the whole range, by up
// to (m+1)/(m−1) (docs/model.md §2).
func shrinkage(m float64) float64 {
	switch {
	case !(m > 1):
		return 0
	case math.IsInf(m, 1):
		return 1
	}
	return (m - 1) / (m + 1)
}

// Filled returns the share of the window's parts from the first one that holds
// anything: less than 1 for series that are younger than the window. It is 1
// where nothing holds anything.
func (w Window) Filled() float64 {
	for i, part := range w.Parts {
		if part.Total() > 0 {
			return float64(len(w.Parts)-i) / float64(len(w.Parts))
		}
	}
	return 1
}
