package promquery

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// cumulative collects the counts of one part: per bound, how many values were
// at most that. Spellings of one bound, "1" and "1.0", are one bound.
type cumulative struct {
	buckets []bucketCount
	les     []string // as the server spells the bounds
	sum     *float64
}

// bucketCount is how many values were at most the bound.
type bucketCount struct{ bound, count float64 }

// decodeClassic reads counts over a range into one part per moment, with the
// given bounds in seconds and +Inf, or all of them where bounds is nil. The
// answer may have more: it may have been asked for together with others. What is
// wrong with one part is said by that part.
func decodeClassic(a answer, g grid, u unit, bounds []float64) ([]part, *Error) {
	collected := make([]cumulative, g.n)
	err := columns(a, g, func(i int, l *labelSet, v point) *Error {
		if bounds != nil && !math.IsNaN(l.bound) && !math.IsInf(l.bound, 1) && !slices.Contains(bounds, u.seconds(l.bound)) {
			return nil
		}
		return collected[i].add(l, v)
	})
	if err != nil {
		return nil, err
	}
	parts := make([]part, g.n)
	for i := range collected {
		if bounds != nil {
			collected[i].sum = nil // of the whole window alone
		}
		parts[i] = collected[i].part(u)
	}
	return parts, nil
}

func (c *cumulative) add(l *labelSet, v point) *Error {
	if l.metric[sumLabel] == "sum" && v.histogram == nil {
		if !math.IsNaN(v.number) && !math.IsInf(v.number, 0) {
			c.sum = &v.number
		}
		return nil
	}
	return c.addBucket(l, v)
}

func (c *cumulative) addBucket(l *labelSet, v point) *Error {
	le, hasBound := l.metric[model.BucketLabel]
	switch {
	case v.histogram != nil:
		return noHistogram("its _bucket series hold native histograms; set latency.kind to native and drop _bucket")
	case !hasBound:
		return noHistogram("its _bucket series have no le label, so they are no buckets")
	case math.IsNaN(l.bound):
		return noHistogram(fmt.Sprintf("a bucket has the bound le=%q, which is no number", line(string(le))))
	}
	c.les = append(c.les, string(le))
	for i := range c.buckets {
		if c.buckets[i].bound == l.bound {
			c.buckets[i].count += v.number
			return nil
		}
	}
	c.buckets = append(c.buckets, bucketCount{l.bound, v.number})
	return nil
}

func (c *cumulative) part(u unit) part {
	if !slices.ContainsFunc(c.buckets, func(b bucketCount) bool { return !math.IsNaN(b.count) }) {
		return part{} // no counts, or NaN alone
	}
	slices.SortFunc(c.buckets, func(a, b bucketCount) int { return cmp.Compare(a.bound, b.bound) })
	bounds, counts := make([]float64, len(c.buckets)), make([]float64, len(c.buckets))
	for i, b := range c.buckets {
		bounds[i], counts[i] = u.seconds(b.bound), b.count
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

// spelled returns the le labels of the given bounds in seconds, and of +Inf.
func (c *cumulative) spelled(bounds []float64, u unit) []string {
	var les []string
	for _, le := range c.les {
		bound, err := strconv.ParseFloat(le, 64)
		if err == nil && (math.IsInf(bound, 1) || slices.Contains(bounds, u.seconds(bound))) {
			les = append(les, le)
		}
	}
	slices.Sort(les)
	return les
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
