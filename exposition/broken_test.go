package exposition_test

import (
	"bytes"
	"math"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/timeout-auditor/timeout-auditor/exposition"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

func ptr[T any](v T) *T { return &v }

// delimited writes one family of native histograms as protobuf.
func delimited(t testing.TB, histograms ...*dto.Histogram) string {
	t.Helper()
	mf := &dto.MetricFamily{Name: ptr("a"), Type: dto.MetricType_HISTOGRAM.Enum(), Unit: ptr("seconds")}
	for _, h := range histograms {
		mf.Metric = append(mf.Metric, &dto.Metric{Histogram: h})
	}
	var out bytes.Buffer
	if err := expfmt.NewEncoder(&out, expfmt.NewFormat(expfmt.TypeProtoDelim)).Encode(mf); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// nativeCounts is a native histogram with float counts.
func nativeCounts(schema int32, zeroThreshold float64, counts ...float64) *dto.Histogram {
	total := 0.0
	for _, c := range counts {
		total += c
	}
	return &dto.Histogram{
		Schema: &schema, ZeroThreshold: &zeroThreshold, SampleCountFloat: &total, SampleSum: &total,
		PositiveSpan: []*dto.BucketSpan{{Offset: ptr(int32(1)), Length: ptr(uint32(len(counts)))}}, PositiveCount: counts,
	}
}

func TestFloatCountsOfNativeHistogramsAreRead(t *testing.T) {
	text := delimited(t, nativeCounts(0, 0.001, 1.5, 2))
	if unit, _ := read(t, text).Unit("a"); unit != "seconds" {
		t.Errorf("unit %q", unit)
	}
	h := observe(t, text, exposition.Selection{Metric: "a"}).Now.Parts[0]
	if len(h.Bins) != 2 || h.Bins[0] != (latency.Bin{Lower: 1, Upper: 2, Count: 1.5}) || h.Bins[1] != (latency.Bin{Lower: 2, Upper: 4, Count: 2}) {
		t.Errorf("bins %+v", h.Bins)
	}
}

func TestBrokenNativeHistogramsAreRefused(t *testing.T) {
	missing := nativeCounts(0, 0.001, 1, 2)
	missing.PositiveSpan[0].Length = ptr(uint32(3))
	endless := nativeCounts(0, 0.001, 1, 2)
	endless.PositiveSpan[0].Length = ptr(uint32(1 << 31))
	zeroBeyond := nativeCounts(0, 8, 1, 2)
	for name, r := range map[string]refusal{
		"NaN count":           {delimited(t, nativeCounts(0, 0.001, 1, math.NaN())), latency.ReasonNoHistogram, "…it has the count NaN"},
		"infinite count":      {delimited(t, nativeCounts(0, 0.001, math.Inf(1))), latency.ReasonNoHistogram, "…it has the count +Inf"},
		"negative count":      {delimited(t, nativeCounts(0, 0.001, 5, -1)), latency.ReasonNoHistogram, "…observation count is negative"},
		"NaN zero bucket":     {delimited(t, nativeCounts(0, math.NaN(), 1)), latency.ReasonNoHistogram, "…the zero bucket is NaN wide"},
		"negative zero":       {delimited(t, nativeCounts(0, -1, 1)), latency.ReasonNoHistogram, "…the zero bucket is -1 wide"},
		"unknown resolution":  {delimited(t, nativeCounts(9, 0.001, 1)), latency.ReasonNoHistogram, "…schema"},
		"spans beyond counts": {delimited(t, missing), latency.ReasonNoHistogram, "…different number of buckets"},
		"endless span":        {delimited(t, endless), latency.ReasonNoHistogram, "…out of range"},
		"zero bucket beyond":  {delimited(t, zeroBeyond), latency.ReasonNoHistogram, "…1 values lie in a bucket up to 2, and the zero bucket holds all up to 8"},
		"one series twice":    {delimited(t, nativeCounts(0, 0.001, 1), nativeCounts(0, 0.001, 1)), latency.ReasonNoHistogram, "m.txt: a: the series without labels comes twice"},
	} {
		t.Run(name, func(t *testing.T) { r.check(t, exposition.Selection{Metric: "a"}) })
	}
}

// The +Inf bucket and the suffixes are not in protobuf, and a float overrides a
// whole count.
func TestClassicBucketsOfProtobufAreRead(t *testing.T) {
	text := delimited(t, &dto.Histogram{
		SampleCountFloat: ptr(4.5), SampleSum: ptr(3.0),
		Bucket: []*dto.Bucket{{UpperBound: ptr(1.0), CumulativeCountFloat: ptr(3.5)}},
	})
	h := observe(t, text, exposition.Selection{Metric: "a"}).Now.Parts[0]
	if h.Scheme != latency.Classic || len(h.Bins) != 2 || h.Bins[0].Count != 3.5 || h.Total() != 4.5 || *h.Sum != 3 {
		t.Errorf("%+v, sum %v", h, h.Sum)
	}
}
