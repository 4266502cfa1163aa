package promquery

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// The quantiles without which there is nothing to judge.
const (
	median = 0.5
	p99    = 0.99
)

// readQuantile puts the answer to a configured quantile where it belongs. The
// median and p99 must be known; of others it is said that they are not.
func (a asked) readQuantile(o *latency.Observation, r reply) *Error {
	v, note, err := single(a, r.value)
	switch {
	case err != nil:
		return err
	case v != nil && *v == 0:
		v, note = nil, a.key+": the answer is 0, which no latency is: are there no calls?"
	}
	if v != nil {
		addQuantile(o, a.quantile, a.unit.seconds(*v))
		return nil
	}
	if a.quantile == median || a.quantile == p99 {
		return &Error{Kind: KindNoData, Query: a.query, Message: note}
	}
	o.Notes = append(o.Notes, note)
	return nil
}

// addQuantile adds one quantile, in seconds, to those that are all that is
// known.
func addQuantile(o *latency.Observation, p, seconds float64) {
	o.Quantiles = append(o.Quantiles, latency.QuantilePoint{P: p, Seconds: seconds})
	slices.SortFunc(o.Quantiles, func(a, b latency.QuantilePoint) int { return cmp.Compare(a.P, b.P) })
	switch p {
	case median:
		o.P50 = &seconds
	case p99:
		o.P99 = &seconds
	}
}

// inOrder refuses quantiles that fall: one of them is not what it is called.
func inOrder(o *latency.Observation) *Error {
	for i := 1; i < len(o.Quantiles); i++ {
		low, high := o.Quantiles[i-1], o.Quantiles[i]
		if high.Seconds < low.Seconds {
			return &Error{
				Kind: KindUnusable,
				Message: fmt.Sprintf("the %g quantile is %gs, less than the %gs of %g: do both measure the same calls, and is one swapped with the other?",
					high.P, high.Seconds, low.Seconds, low.P),
			}
		}
	}
	return nil
}

// summarized is one quantile of a summary: the largest of so many series, in
// the summary's unit; 0 where none has seen a call.
type summarized struct {
	largest float64
	series  int
}

// decodeSummary reads the answer to summaryQuery by quantile. Quantiles without
// a series are absent.
func decodeSummary(a answer) (map[float64]summarized, *Error) {
	vector, err := elements(a)
	if err != nil {
		return nil, err
	}
	found := map[float64]summarized{}
	for _, sample := range vector {
		p, bad := strconv.ParseFloat(sample.value(quantileLabel), 64)
		v := sample.point().number
		s := found[p]
		switch {
		case bad != nil || sample.point().histogram != nil:
			return nil, malformed(fmt.Sprintf("the element %s is not what was asked for", line(sample.metric.String())))
		case sample.value(statLabel) == statSeries:
			s.series += int(v)
		case math.IsInf(v, 0) || v < 0:
			return nil, &Error{Kind: KindUnusable, Message: fmt.Sprintf("the %g quantile is %g, which no latency is", p, v)}
		case !math.IsNaN(v):
			s.largest = max(s.largest, v)
		}
		found[p] = s
	}
	return found, nil
}
