package promquery

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// cumulative collects the counts of one part: per bound, how many values were
// at most that. Spellings of one bound, "1" and "1.0", are one bound.
type cumulative struct {
	counts map[float64]float64
	sum    *float64
}

// decodeClassic reads the answer to the classic bucketsQuery into one part per
// moment. What is wrong with one part is said by that part.
func decodeClassic(answer model.Value, g grid, u unit) ([]part, *Error) {
	collected := make([]cumulative, g.n)
	err := columns(answer, g, func(i int, metric model.Metric, v point) *Error {
		return collected[i].add(metric, v)
	})
	if err != nil {
		return nil, err
	}
	parts := make([]part, g.n)
	for i, c := range collected {
		parts[i] = c.part(u)
	}
	return parts, nil
}

func (c *cumulative) add(metric model.Metric, v point) *Error {
	if metric[sumLabel] == "sum" && v.histogram == nil {
		if !math.IsNaN(v.number) && !math.IsInf(v.number, 0) {
			c.sum = &v.number
		}
		return nil
	}
	return c.addBucket(metric, v)
}

func (c *cumulative) addBucket(metric model.Metric, v point) *Error {
	le, hasBound := metric[model.BucketLabel]
	bound, bad := strconv.ParseFloat(string(le), 64)
	switch {
	case v.histogram != nil:
		return noHistogram("its _bucket series hold native histograms; set latency.kind to native and drop _bucket")
	case !hasBound:
		return noHistogram("its _bucket series have no le label, so they are no buckets")
	case bad != nil || math.IsNaN(bound):
		return noHistogram(fmt.Sprintf("a bucket has the bound le=%q, which is no number", line(string(le))))
	}
	if c.counts == nil {
		c.counts = map[float64]float64{}
	}
	c.counts[bound] += v.number
	return nil
}

func (c *cumulative) part(u unit) part {
	bounds := slices.Sorted(maps.Keys(c.counts))
	if !slices.ContainsFunc(bounds, func(b float64) bool { return !math.IsNaN(c.counts[b]) }) {
		return part{} // no counts, or NaN alone
	}
	counts := make([]float64, len(bounds))
	for i, b := range bounds {
		counts[i] = c.counts[b]
		bounds[i] = u.seconds(b)
	}
	hist, err := latency.FromCumulative(bounds, counts)
	if err != nil {
		return part{present: true, err: notAHistogram(err)}
	}
	if c.sum != nil {
		sum := u.seconds(*c.sum)
		hist.Sum = &sum
	}
	return part{present: true, hist: hist}
}

// notAHistogram explains counts from which no histogram follows.
func notAHistogram(err error) *Error {
	e := &Error{Kind: KindUnusable, Err: err}
	switch {
	case errors.Is(err, latency.ErrNonMonotonic):
		e.Reason = latency.ReasonNonMonotonic
		e.Message = fmt.Sprintf("the buckets are no histogram (%v): were replicas merged by max instead of sum, or buckets dropped? "+
			"Read the raw series of each replica", err)
	case errors.Is(err, latency.ErrNoInfBucket):
		e.Reason = latency.ReasonNoHistogram
		e.Message = fmt.Sprintf("the buckets are no histogram (%v): do not drop le=\"+Inf\" when scraping", err)
	default:
		e.Message = fmt.Sprintf("the buckets are no histogram (%v): the counters hold values that no count can have; look at the raw series", err)
	}
	return e
}

func noHistogram(what string) *Error {
	return &Error{Kind: KindUnusable, Reason: latency.ReasonNoHistogram, Message: "not a histogram: " + what}
}
