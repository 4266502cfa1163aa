package promquery

import (
	"fmt"
	"math"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// decodeNative reads the answer to the native bucketsQuery into one part per
// moment. The notes say what the histograms hold beside latencies.
func decodeNative(a answer, g grid, u unit) ([]part, []string, *Error) {
	parts := make([]part, g.n)
	samples := make([]*model.SampleHistogram, g.n)
	err := columns(a, g, func(i int, _ *labelSet, v point) *Error {
		switch {
		case v.histogram == nil:
			return noHistogram("the series holds plain numbers beside native histograms, or instead of them")
		case samples[i] != nil:
			return malformed("asked for one series, got several")
		}
		samples[i] = v.histogram
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	scheme := schemeOf(samples)
	var notes []string
	for i, s := range samples {
		if s == nil {
			continue
		}
		hist, err := nativeHistogram(s, scheme, u)
		parts[i] = part{present: true, hist: hist, err: err}
		if extra := float64(s.Count) - hist.Total(); err == nil && extra > 1e-6*float64(s.Count) {
			notes = append(notes, "the native histogram counts observations that are NaN; they are left out")
		}
	}
	return parts, notes, nil
}

// nativeHistogram turns one sample into a histogram in seconds. Latencies below
// 0 are refused: something else was measured.
func nativeHistogram(s *model.SampleHistogram, scheme latency.Scheme, u unit) (latency.Histogram, *Error) {
	h := latency.Histogram{Scheme: scheme, Bins: make([]latency.Bin, 0, len(s.Buckets))}
	below := math.Inf(-1)
	for _, b := range s.Buckets {
		if b == nil {
			return latency.Histogram{}, malformed("an empty native bucket")
		}
		bin := latency.Bin{Lower: float64(b.Lower), Upper: float64(b.Upper), Count: float64(b.Count)}
		switch {
		case math.IsNaN(bin.Count) || math.IsInf(bin.Count, 0) || bin.Count < 0:
			return latency.Histogram{}, &Error{Kind: KindUnusable, Message: fmt.Sprintf("a native bucket holds %g values, which no count can", bin.Count)}
		case math.IsNaN(bin.Lower) || math.IsNaN(bin.Upper) || bin.Lower > bin.Upper || bin.Lower < below:
			return latency.Histogram{}, malformed(fmt.Sprintf("the native bucket from %g to %g overlaps another or runs backwards", bin.Lower, bin.Upper))
		case bin.Upper <= 0 && bin.Lower < 0 && bin.Count > 0:
			return latency.Histogram{}, &Error{
				Kind: KindUnusable,
				Message: fmt.Sprintf("the histogram holds values below 0 (%g from %g to %g), and latencies are not: is this the right metric?",
					bin.Count, bin.Lower, bin.Upper),
			}
		}
		below = bin.Upper
		if math.IsInf(bin.Lower, -1) {
			bin.Lower = 0 // the first custom bucket; histogram_quantile reads it so too
		}
		h.Bins = append(h.Bins, latency.Bin{Lower: u.seconds(bin.Lower), Upper: u.seconds(bin.Upper), Count: bin.Count})
	}
	if sum := u.seconds(float64(s.Sum)); !math.IsNaN(sum) && !math.IsInf(sum, 0) {
		h.Sum = &sum
	}
	return h, nil
}

// schemeOf tells exponential buckets from custom ones: the API gives bounds and
// not the schema. Every exponential bucket reaches from base^(i−1) to base^i,
// base 2^(2^−schema) with a schema from −4 to 8, whichever buckets are present.
// Custom bounds that are all neighbouring powers of 2 cannot be told from them.
func schemeOf(samples []*model.SampleHistogram) latency.Scheme {
	for _, s := range samples {
		if s == nil {
			continue
		}
		for _, b := range s.Buckets {
			if b != nil && !exponential(float64(b.Lower), float64(b.Upper)) {
				return latency.Custom
			}
		}
	}
	return latency.Exponential
}

const (
	finestWidth   = 1.0 / 256 // of a bucket of schema 8, in log2
	coarsestWidth = 16        // of schema −4
	onGrid        = 1e-6      // how far from base^i a bound may lie, in buckets
)

func exponential(lower, upper float64) bool {
	switch {
	case math.IsInf(lower, -1):
		return false
	case lower <= 0 && upper >= 0:
		return lower == -upper // the zero bucket
	case lower < 0:
		lower, upper = -upper, -lower
	}
	if math.IsInf(upper, 1) {
		return lower >= math.MaxFloat64/2 // the overflow bucket; a custom one ends much lower
	}
	width := math.Log2(upper) - math.Log2(lower)
	for w := coarsestWidth * 1.0; w >= finestWidth; w /= 2 {
		if math.Abs(width/w-1) < onGrid {
			place := math.Log2(upper) / w
			return math.Abs(place-math.Round(place)) < onGrid
		}
	}
	return false
}
