package promquery

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// survey is what the scrapes query says of one form of a histogram.
type survey struct {
	form    form
	samples float64 // per series, over the window
	series  int     // with samples in the window
	born    int     // series alive now that were not when the window began
	layout  layout  // classic only
}

// decodeScrapes reads the answer to scrapesQuery. Forms without series are
// absent.
func decodeScrapes(a answer) ([]survey, *Error) {
	vector, err := elements(a)
	if err != nil {
		return nil, err
	}
	var found []survey
	for _, sample := range vector {
		name, stat, _ := strings.Cut(sample.value(statLabel), " ")
		f, v := form(name), sample.point()
		if f != classic && f != native || v.histogram != nil || math.IsNaN(v.number) || v.number < 0 {
			return nil, malformed(fmt.Sprintf("the element %s is not what was asked for", line(sample.metric.String())))
		}
		i := slices.IndexFunc(found, func(s survey) bool { return s.form == f })
		if i < 0 {
			i = len(found)
			found = append(found, survey{form: f})
		}
		s := &found[i]
		switch stat {
		case statSamples:
			s.samples = v.number
		case statSeries:
			s.series = int(v.number)
		case statBorn:
			s.born = int(v.number)
		case statLayout:
			s.layout = s.layout.with(sample.bound, int(v.number), len(vector))
		}
	}
	return slices.DeleteFunc(found, func(s survey) bool { return s.series == 0 && s.samples == 0 }), nil
}

// layout is how many series have each bound, in no order.
type layout []atBound

type atBound struct {
	bound  float64
	series int
}

// with adds series; a bound that is no number has none. There are most bounds at
// most.
func (l layout) with(bound float64, series, most int) layout {
	if math.IsNaN(bound) {
		return l
	}
	for i := range l {
		if l[i].bound == bound {
			l[i].series += series
			return l
		}
	}
	return append(slices.Grow(l, most-len(l)), atBound{bound, series})
}

// choose picks the form to read: native where it covers at least as many series
// as classic, since its buckets are finer. The note says what is left out.
func choose(found []survey) (survey, string) {
	of := func(f form) survey {
		if i := slices.IndexFunc(found, func(s survey) bool { return s.form == f }); i >= 0 {
			return found[i]
		}
		return survey{}
	}
	n, c := of(native), of(classic)
	switch {
	case c.form == "":
		return n, ""
	case n.form == "":
		return c, ""
	case n.series >= c.series:
		return n, ""
	}
	return c, fmt.Sprintf("classic buckets are read: %d series have them and only %d have a native histogram", c.series, n.series)
}

// usable says whether figures can follow from such a histogram at all.
func (s survey) usable() *Error {
	if s.samples < 2 {
		return &Error{
			Kind: KindNoData,
			Message: "every series has a single sample in the window, and a count needs two: " +
				"wait for the next scrape, or lengthen the window",
		}
	}
	if s.form == classic {
		return s.oneLayout()
	}
	return nil
}

// oneLayout refuses series with different bounds: their sum would count some of
// them at one bound and others at the next.
func (s survey) oneLayout() *Error {
	bounds := slices.SortedFunc(slices.Values(s.layout), func(a, b atBound) int { return cmp.Compare(a.bound, b.bound) })
	all := 0 // series with +Inf, as every one has
	if last := len(bounds) - 1; last >= 0 && math.IsInf(bounds[last].bound, 1) {
		all = bounds[last].series
	}
	var odd []string
	for _, b := range bounds {
		if b.series != all {
			odd = append(odd, fmt.Sprintf("le=%g on %d", b.bound, b.series))
		}
	}
	switch {
	case len(bounds) == 0:
		return nil // an older answer without the layout; the decoder still checks the counts
	case len(odd) > 0:
		const shown = 3
		if len(odd) > shown {
			odd = append(odd[:shown], "…")
		}
		return &Error{
			Kind:   KindUnusable,
			Reason: latency.ReasonMixedBuckets,
			Message: fmt.Sprintf("series with different bucket bounds cannot be added up (of %d series, %s): "+
				"give all replicas the same buckets, or narrow the selector; after a change of buckets this passes within one window",
				s.series, strings.Join(odd, ", ")),
		}
	case len(bounds) == 1:
		return &Error{
			Kind:    KindUnusable,
			Reason:  latency.ReasonNoHistogram,
			Message: "the histogram has the +Inf bucket alone: enable its buckets where it is measured",
		}
	}
	return nil
}

// newcomers is the note about series that began inside the window.
func (s survey) newcomers() string {
	if s.born == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d series began inside the window: increase() misses what a series holds at its first sample, "+
		"so rare outcomes with a label of their own, timeouts above all, may be undercounted", s.born, s.series)
}
