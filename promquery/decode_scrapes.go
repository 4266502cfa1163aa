package promquery

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// survey is what the scrapes query says of one form of a histogram.
type survey struct {
	form    form
	samples float64         // per series, over the window
	series  int             // with samples in the window
	born    int             // series alive now that were not when the window began
	layout  map[float64]int // series per bound, classic only
}

// decodeScrapes reads the answer to scrapesQuery. Forms without series are
// absent.
func decodeScrapes(a answer) (map[form]survey, *Error) {
	vector, err := elements(a)
	if err != nil {
		return nil, err
	}
	found := map[form]survey{}
	for _, sample := range vector {
		name, stat, _ := strings.Cut(sample.value(statLabel), " ")
		f, value := form(name), sample.number
		if f != classic && f != native || sample.histogram != nil || math.IsNaN(value) || value < 0 {
			return nil, malformed(fmt.Sprintf("the element %s is not what was asked for", line(sample.metric.String())))
		}
		s, seen := found[f]
		if !seen {
			s = survey{form: f, layout: map[float64]int{}}
		}
		switch stat {
		case statSamples:
			s.samples = value
		case statSeries:
			s.series = int(value)
		case statBorn:
			s.born = int(value)
		case statLayout:
			if !math.IsNaN(sample.bound) {
				s.layout[sample.bound] += int(value)
			}
		}
		found[f] = s
	}
	maps.DeleteFunc(found, func(_ form, s survey) bool { return s.series == 0 && s.samples == 0 })
	return found, nil
}

// choose picks the form to read: native where it covers at least as many series
// as classic, since its buckets are finer. The note says what is left out.
func choose(found map[form]survey) (survey, string) {
	n, haveNative := found[native]
	c, haveClassic := found[classic]
	switch {
	case !haveClassic:
		return n, ""
	case !haveNative:
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
	bounds := slices.Sorted(maps.Keys(s.layout))
	var odd []string
	for _, b := range bounds {
		if s.layout[b] != s.layout[math.Inf(1)] {
			odd = append(odd, fmt.Sprintf("le=%g on %d", b, s.layout[b]))
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
