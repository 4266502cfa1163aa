package audit

import "github.com/timeout-auditor/timeout-auditor/latency"

// CompareFalseTimeout says whether P(X > Limit) is above or below a threshold,
// by the counts and not by the point estimate (docs/model.md §8).
func (a *Assessment) CompareFalseTimeout(threshold float64) latency.Verdict {
	if a.Tail == nil || a.Limit <= 0 {
		return latency.VerdictUncertain
	}
	return a.Tail.Compare(threshold)
}

// CompareFallback does the same for the fallback ratio.
func (a *Assessment) CompareFallback(threshold float64) latency.Verdict {
	return a.compareThrough(a.fallbackAt, threshold)
}

// CompareAmplification does the same for the expected attempts per call.
func (a *Assessment) CompareAmplification(threshold float64) latency.Verdict {
	if a.callScope() {
		return latency.VerdictUncertain
	}
	return a.compareThrough(a.amplificationAt, threshold)
}

// CompareTimeoutToP99 says whether Limit is above or below factor × p99: it is
// above when at most 1% of the attempts take longer than Limit ÷ factor. What
// the timeout does to its own histogram lies far beyond that, so the counts are
// read as they stand.
func (a *Assessment) CompareTimeoutToP99(factor float64) latency.Verdict {
	if a.Tail == nil || a.Limit <= 0 || factor <= 0 {
		return latency.VerdictUncertain
	}
	switch a.Tail.CompareAt(a.Observation, a.Limit/factor, P99Ratio) {
	case latency.VerdictBelow:
		return latency.VerdictAbove
	case latency.VerdictAbove:
		return latency.VerdictBelow
	}
	return latency.VerdictUncertain
}

// compareThrough turns a threshold on an increasing f(p) into one on p, where
// the counts can answer it. What f says at p = 0 or p = 1 needs no counts.
func (a *Assessment) compareThrough(f func(p float64) float64, threshold float64) latency.Verdict {
	switch {
	case !a.retriesKnown():
		return latency.VerdictUncertain
	case f(0) > threshold:
		return latency.VerdictAbove
	case f(1) <= threshold:
		return latency.VerdictBelow
	case a.Limit <= 0:
		return latency.VerdictBelow
	}
	return a.CompareFalseTimeout(invert(f, threshold))
}

// invert finds p in [0, 1] with f(p) = target, to within 1e-12, where f(0) is no
// more than the target and f(1) no less. f rises; a secant that keeps one end
// has the weight of that end halved, so that neither stays for long.
//
// Source: M. Dowell and P. Jarratt, "A modified regula falsi method", BIT 11,
// 1971 (the Illinois method).
func invert(f func(p float64) float64, target float64) float64 {
	const precision, most = 1e-12, 100
	low, high := 0.0, 1.0
	below, above := f(low)-target, f(high)-target
	kept := 0
	for range most {
		if high-low <= precision || below == above {
			break
		}
		at := high - above*(high-low)/(above-below)
		if !(at > low && at < high) {
			at = (low + high) / 2
		}
		switch value := f(at) - target; {
		case value > 0:
			high, above = at, value
			if kept == -1 {
				below /= 2
			}
			kept = -1
		case value < 0:
			low, below = at, value
			if kept == 1 {
				above /= 2
			}
			kept = 1
		default:
			return at
		}
	}
	return (low + high) / 2
}
