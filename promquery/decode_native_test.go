package promquery

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// The four kinds of boundaries of the API.
const (
	leftOpen = 0 // (lower, upper]: exponential buckets above 0 and custom ones
	closed   = 3 // [lower, upper]: the zero bucket
)

func sampleOf(sum float64, buckets ...model.HistogramBucket) *model.SampleHistogram {
	s := &model.SampleHistogram{Sum: model.FloatString(sum)}
	for _, b := range buckets {
		s.Buckets = append(s.Buckets, &b)
		s.Count += b.Count
	}
	return s
}

func bucket(boundaries int32, lower, upper, count float64) model.HistogramBucket {
	return model.HistogramBucket{
		Boundaries: boundaries, Lower: model.FloatString(lower), Upper: model.FloatString(upper), Count: model.FloatString(count),
	}
}

// exponentialBounds returns the bounds of bucket i of a schema.
func exponentialBounds(schema, i int) (lower, upper float64) {
	width := math.Exp2(-float64(schema))
	return math.Exp2(float64(i-1) * width), math.Exp2(float64(i) * width)
}

func TestSchemeOfNativeBuckets(t *testing.T) {
	for schema := -4; schema <= 8; schema++ {
		for _, log2 := range []float64{-30, -7, 0, 1, 5} {
			i := int(log2 * math.Exp2(float64(schema)))
			lower, upper := exponentialBounds(schema, i)
			if got := schemeOf([]*model.SampleHistogram{nil, sampleOf(1, bucket(leftOpen, lower, upper, 1))}); got != latency.Exponential {
				t.Errorf("schema %d, bucket %d (%g, %g] is taken for %s", schema, i, lower, upper, got)
			}
		}
	}
	for name, tc := range map[string]struct {
		bucket model.HistogramBucket
		want   latency.Scheme
	}{
		"zero bucket":                 {bucket(closed, -0.001, 0.001, 1), latency.Exponential},
		"zero bucket without width":   {bucket(closed, 0, 0, 1), latency.Exponential},
		"smallest bounds there are":   {bucket(leftOpen, math.Exp2(-1023), math.Exp2(-1022), 1), latency.Exponential},
		"bounds below those":          {bucket(leftOpen, math.Exp2(-1074), math.Exp2(-1073), 1), latency.Exponential},
		"overflow bucket":             {bucket(leftOpen, math.MaxFloat64, math.Inf(1), 1), latency.Exponential},
		"first custom bucket":         {bucket(leftOpen, math.Inf(-1), 0.005, 1), latency.Custom},
		"last custom bucket":          {bucket(leftOpen, 10, math.Inf(1), 1), latency.Custom},
		"ratio 2 off the grid":        {bucket(leftOpen, 0.005, 0.01, 1), latency.Custom},
		"powers of 2, ratio 8":        {bucket(leftOpen, 0.125, 1, 1), latency.Custom},
		"bounds of client_golang":     {bucket(leftOpen, 0.25, 0.5, 1), latency.Exponential}, // cannot be told
		"custom bucket that begins 0": {bucket(leftOpen, 0, 0.5, 1), latency.Custom},
	} {
		t.Run(name, func(t *testing.T) {
			if got := schemeOf([]*model.SampleHistogram{sampleOf(1, tc.bucket)}); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestNativeHistogramInMilliseconds(t *testing.T) {
	s := sampleOf(5000, bucket(closed, -1, 1, 2), bucket(leftOpen, 128, 256, 5), bucket(leftOpen, 512, 1024, 3))
	got, err := nativeHistogram(s, latency.Exponential, 0.001)
	if err != nil {
		t.Fatal(err)
	}
	sum := 5.0
	want := latency.Histogram{
		Scheme: latency.Exponential,
		Bins: []latency.Bin{
			{Lower: -0.001, Upper: 0.001, Count: 2},
			{Lower: 0.128, Upper: 0.256, Count: 5},
			{Lower: 0.512, Upper: 1.024, Count: 3},
		},
		Sum: &sum,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestCustomBucketsBeginAtZero(t *testing.T) {
	s := sampleOf(1, bucket(leftOpen, math.Inf(-1), 0.1, 2), bucket(leftOpen, 10, math.Inf(1), 1))
	got, err := nativeHistogram(s, schemeOf([]*model.SampleHistogram{s}), 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []latency.Bin{{Lower: 0, Upper: 0.1, Count: 2}, {Lower: 10, Upper: math.Inf(1), Count: 1}}
	if d := cmp.Diff(want, got.Bins); d != "" || got.Scheme != latency.Custom {
		t.Errorf("scheme %s (-want +got):\n%s", got.Scheme, d)
	}
}

func TestNativeBucketsThatAreNoLatencies(t *testing.T) {
	for name, tc := range map[string]struct {
		sample *model.SampleHistogram
		kind   Kind
		says   string
	}{
		"values below 0":     {sampleOf(1, bucket(1, -2, -1, 4), bucket(leftOpen, 1, 2, 1)), KindUnusable, "below 0"},
		"negative count":     {sampleOf(1, bucket(leftOpen, 1, 2, -1)), KindUnusable, "no count can"},
		"NaN count":          {sampleOf(1, bucket(leftOpen, 1, 2, math.NaN())), KindUnusable, "no count can"},
		"backwards":          {sampleOf(1, bucket(leftOpen, 2, 1, 1)), KindMalformed, "runs backwards"},
		"overlapping":        {sampleOf(1, bucket(leftOpen, 1, 2, 1), bucket(leftOpen, 1.5, 3, 1)), KindMalformed, "overlaps"},
		"out of order":       {sampleOf(1, bucket(leftOpen, 4, 8, 1), bucket(leftOpen, 1, 2, 1)), KindMalformed, "overlaps"},
		"NaN bound":          {sampleOf(1, bucket(leftOpen, math.NaN(), 2, 1)), KindMalformed, "overlaps"},
		"null in the bucket": {&model.SampleHistogram{Buckets: model.HistogramBuckets{nil}}, KindMalformed, "empty native bucket"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := nativeHistogram(tc.sample, latency.Exponential, 1)
			if err == nil || err.Kind != tc.kind || !strings.Contains(err.Message, tc.says) {
				t.Errorf("got %v, want kind %s saying %q", err, tc.kind, tc.says)
			}
		})
	}
}

func TestSumThatIsNaNIsUnknown(t *testing.T) {
	got, err := nativeHistogram(sampleOf(math.NaN(), bucket(leftOpen, 1, 2, 1)), latency.Exponential, 1)
	if err != nil || got.Sum != nil {
		t.Errorf("got sum %v, error %v; want neither", got.Sum, err)
	}
}
