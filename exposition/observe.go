package exposition

import (
	"fmt"
	"math"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Selection says which histogram is read, and how.
type Selection struct {
	Metric    string            // base name, without _bucket
	Matchers  []*labels.Matcher // all must match; none: every series
	UnitScale float64           // seconds per unit: 1 or 0.001; 0 is 1
}

// Observe adds up the selected series of one histogram. Its window is unknown
// and has a single part, of which nothing was extrapolated. The error is an
// *Error. Native histograms are preferred where as many series have them as
// have classic buckets.
func (e *Exposition) Observe(s Selection) (latency.Observation, error) {
	if s.UnitScale == 0 {
		s.UnitScale = 1
	}
	if err := e.isHistogram(s.Metric); err != nil {
		return latency.Observation{}, err
	}
	classics, err := e.classicSeries(s)
	if err != nil {
		return latency.Observation{}, err
	}
	natives := e.nativeSeries(s)
	var hist latency.Histogram
	var notes []string
	series := len(natives)
	switch {
	case len(classics)+len(natives) == 0:
		return latency.Observation{}, e.nothingSelected(s)
	case len(natives) >= len(classics):
		hist, notes, err = e.sumNative(s, natives)
	default:
		series = len(classics)
		hist, notes, err = e.sumClassic(s, classics)
	}
	if err != nil {
		return latency.Observation{}, err
	}
	if hist.Total() == 0 {
		return latency.Observation{}, e.about(place{s.Metric, 0}, "", "has counted nothing since the process started; fetch the exposition again after some calls")
	}
	o := latency.Observation{
		Now:   latency.Window{Parts: []latency.Histogram{hist}, Scrapes: math.Inf(1)},
		P50:   quantile(hist, 0.5),
		P99:   quantile(hist, 0.99),
		Notes: append(e.circumstances(series), notes...),
	}
	return o, nil
}

// circumstances is what every reader of such an observation has to know.
func (e *Exposition) circumstances(series int) []string {
	notes := []string{
		"these are the counts since the process started: over which time, and what is so now, is not known, nor how many calls that is per second",
		"the exposition was read once, so how bursty the counts are is not known: the limits are those of independent calls",
	}
	if series > 1 {
		notes = append(notes, fmt.Sprintf("%d series are added up", series))
	}
	return notes
}

// quantile is what histogram_quantile answers: the highest finite bound where
// the rank lies beyond it.
func quantile(h latency.Histogram, q float64) *float64 {
	v, _ := h.Quantile(q)
	return &v
}

func (s Selection) selects(ls labels.Labels) bool {
	for _, m := range s.Matchers {
		if !m.Matches(ls.Get(m.Name)) {
			return false
		}
	}
	return true
}

// seconds divides where it can: 700 / 1000 is the same number as 0.7, and
// 700 · 0.001 is not.
func (s Selection) seconds(v float64) float64 {
	if per := math.Round(1 / s.UnitScale); per >= 1 && 1/per == s.UnitScale {
		return v / per
	}
	return v * s.UnitScale
}

// place is what an error is about; line is 0 where none is to blame.
type place struct {
	metric string
	line   int
}

func (e *Exposition) about(p place, reason latency.Reason, format string, args ...any) *Error {
	return &Error{File: e.file, Line: p.line, Metric: p.metric, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// because adds the cause.
func because(cause error, e *Error) *Error {
	e.Err = cause
	return e
}
