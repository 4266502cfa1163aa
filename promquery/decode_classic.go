package promquery

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// cumulative collects the counts of one histogram: per bound, how many values
// were at most that. Spellings of one bound, "1" and "1.0", are one bound.
type cumulative struct {
	buckets []bucketCount
	sum     *float64
}

// bucketCount is how many values were at most the bound.
type bucketCount struct{ bound, count float64 }

func (c *cumulative) add(l *labelSet, v point) *Error {
	if isSum(l, v) {
		if !math.IsNaN(v.number) && !math.IsInf(v.number, 0) {
			sum := v.number // by itself: a point that escapes is allocated for every sample
			c.sum = &sum
		}
		return nil
	}
	return c.addBucket(l, v)
}

func (c *cumulative) addBucket(l *labelSet, v point) *Error {
	if err := noBucket(l, v); err != nil {
		return err
	}
	for i := range c.buckets {
		if c.buckets[i].bound == l.bound {
			c.buckets[i].count += v.number
			return nil
		}
	}
	c.buckets = append(c.buckets, bucketCount{l.bound, v.number})
	return nil
}

// noBucket says why a sample counts no bucket; nil: it does.
func noBucket(l *labelSet, v point) *Error {
	le, hasBound := l.metric[model.BucketLabel]
	switch {
	case v.histogram != nil:
		return noHistogram("its _bucket series hold native histograms; set latency.kind to native and drop _bucket")
	case !hasBound:
		return noHistogram("its _bucket series have no le label, so they are no buckets")
	case math.IsNaN(l.bound):
		return noHistogram(fmt.Sprintf("a bucket has the bound le=%q, which is no number", line(string(le))))
	}
	return nil
}

func isSum(l *labelSet, v point) bool { return v.histogram == nil && l.metric[sumLabel] == "sum" }

func (c *cumulative) part(u unit) part {
	slices.SortFunc(c.buckets, func(a, b bucketCount) int { return cmp.Compare(a.bound, b.bound) })
	bounds, counts := make([]float64, len(c.buckets)), make([]float64, len(c.buckets))
	for i, b := range c.buckets {
		bounds[i], counts[i] = u.seconds(b.bound), b.count
	}
	return classicPart(bounds, counts, c.sum, u)
}

// classicPart is the histogram with the given bounds in seconds and cumulative
// counts. Of no counts, or of NaN alone, there is none.
func classicPart(bounds, counts []float64, sum *float64, u unit) part {
	if !slices.ContainsFunc(counts, func(count float64) bool { return !math.IsNaN(count) }) {
		return part{}
	}
	hist, err := latency.FromCumulative(bounds, counts)
	if err != nil {
		return part{present: true, err: notAHistogram(err)}
	}
	if sum != nil {
		seconds := u.seconds(*sum)
		hist.Sum = &seconds
	}
	return part{present: true, hist: hist}
}

// spelled returns how the server spells the given bounds in seconds, and +Inf.
func spelled(vector []row, bounds []float64, u unit) []string {
	les := make([]string, 0, len(bounds)+1)
	for _, sample := range vector {
		if math.IsInf(sample.bound, 1) || slices.Contains(bounds, u.seconds(sample.bound)) {
			les = append(les, sample.value(model.BucketLabel))
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
