package audit

import (
	"math"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// pastStep is one window of a dependency's past, read against its timeout.
type pastStep struct {
	*Assessment         // no more of it than what the histogram says
	p99         float64 // seconds; 0: not known
	bounded     bool    // p99 lies below the highest finite bound
}

// readPast reads one window as Assess does, without what follows from retries.
func readPast(in Input) pastStep {
	dep := in.Dependency
	policy := declaredPolicy(dep.Policy)
	effective := policy.Effective()
	s := pastStep{Assessment: &Assessment{Dependency: dep, At: in.At, Policy: policy, Effective: effective, Limit: limitOf(dep, effective)}}
	if in.Failure != nil {
		s.Status, s.Detail = in.Failure.Status, in.Failure.Message
		return s
	}
	s.readLatency(in.Observation, nil)
	if s.counted() {
		s.p99, s.bounded = s.Tail.Merged.Quantile(1 - P99Ratio)
	}
	return s
}

// counted reports whether there are counts that do not contradict themselves.
func (s pastStep) counted() bool {
	return s.Tail != nil && !s.Tail.Blocked && s.Tail.Samples > 0
}

// enough reports whether the window holds the calls that a quantile of 1 −
// target is read from.
func (s pastStep) enough(target float64) bool {
	const rounding = 1 - 1e-9 // of sums of counts
	return s.counted() && s.Tail.Samples >= rounding*enoughAbove/target
}

// bentPast reports whether the timeout cut so much that the window's histogram
// says nothing beyond it.
func (s pastStep) bentPast() bool { return s.Limit > 0 && s.counted() && censored(s.Assessment) }

// surelyBeyond is the confidence of a worst window (docs/model.md §9). With the
// 168 hours of a week about one in six weeks has a chance hour beyond it.
const surelyBeyond = 0.999

// lowerQuantile is the time in seconds that the (1−target) quantile of the window
// exceeds at 99.9%: the quantile at the smallest share k/N whose lower
// Clopper–Pearson limit, with counts divided by their dispersion, is above the
// target. A histogram that the timeout has bent says nothing beyond it. It is 0
// where no share is sure, and unbounded beyond the highest finite bound.
//
// The counts are taken as often as there are windows, since a bin above which
// nothing lies is interpolated by how many calls there are: the same shape must
// give the same quantile as the pooled counts do.
func (s pastStep) lowerQuantile(target float64, windows int) (seconds float64, bounded bool) {
	at, _ := quantileOf(s.Tail.Merged, target)
	if low, high := around(s.Tail.Merged.Bins, at); low > 0 { // counts say how bursty they are on a bound
		at = low
	} else {
		at = high
	}
	d := latency.ReadTail(s.Observation, latency.TailOptions{Timeout: at, Recording: latency.RecordingUncensored, Models: s.Tail.Models}).Dispersion
	n := s.Tail.Samples / max(d, 1)
	low, high := 0.0, math.Ceil(n) // low is too few
	for high-low > 1 {
		middle := math.Floor((low + high) / 2)
		if latency.BinomialLower(middle, n, surelyBeyond) > target {
			high = middle
		} else {
			low = middle
		}
	}
	if high >= n {
		return 0, true
	}
	seconds, bounded = quantileOf(times(s.Tail.Merged, float64(windows)), high/n)
	if s.bentPast() && seconds >= s.Limit {
		return s.Limit, true
	}
	return seconds, bounded
}

func times(h latency.Histogram, factor float64) latency.Histogram {
	scaled := latency.Histogram{Scheme: h.Scheme, Bins: slices.Clone(h.Bins)}
	for i := range scaled.Bins {
		scaled.Bins[i].Count *= factor
	}
	return scaled
}

// mixture is several histograms as one, where their bounds let none be added to
// another: a layout changed.
type mixture []latency.Histogram

// add puts a histogram to the ones it shares its bounds with.
func (m mixture) add(h latency.Histogram) mixture {
	for i := len(m) - 1; i >= 0; i-- {
		if sum, err := (latency.Window{Parts: []latency.Histogram{m[i], h}}).Merged(); err == nil {
			m[i] = sum
			return m
		}
	}
	return append(m, h)
}

// quantile returns the time that the given share of all values exceeds. bounded
// is false where it lies beyond the highest finite bound of one of them.
func (m mixture) quantile(tail float64) (seconds float64, bounded bool) {
	low, high, total := math.Inf(1), 0.0, 0.0
	bounded = true
	for _, h := range m {
		q, b := quantileOf(h, tail)
		low, high, bounded, total = min(low, q), max(high, q), bounded && b, total+h.Total()
	}
	if len(m) < 2 {
		return high, bounded && total > 0
	}
	for range 60 {
		middle, above := (low+high)/2, 0.0
		for _, h := range m {
			p, _, _ := latency.LocalProbit(h, middle)
			above += p * h.Total() / total
		}
		if above > tail {
			low = middle
		} else {
			high = middle
		}
	}
	return high, bounded
}
