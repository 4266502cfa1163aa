package exposition_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/exposition"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// formats are what processes serve that use the Go client library.
func formats() map[string]expfmt.Format {
	return map[string]expfmt.Format{
		"text":        expfmt.NewFormat(expfmt.TypeTextPlain).WithEscapingScheme(model.NoEscaping),
		"OpenMetrics": expfmt.NewFormat(expfmt.TypeOpenMetrics).WithEscapingScheme(model.NoEscaping),
		"protobuf":    expfmt.NewFormat(expfmt.TypeProtoDelim).WithEscapingScheme(model.NoEscaping),
	}
}

// expose writes what a registry holds in one of the formats.
func expose(t *testing.T, format expfmt.Format, collectors ...prometheus.Collector) []byte {
	t.Helper()
	registry := prometheus.NewRegistry()
	for _, c := range collectors {
		registry.MustRegister(c)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	encoder := expfmt.NewEncoder(&out, format)
	for _, mf := range families {
		if err := encoder.Encode(mf); err != nil {
			t.Fatal(err)
		}
	}
	if closer, ok := encoder.(expfmt.Closer); ok {
		if err := closer.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// latencies are the quantiles of a lognormal at even spacing.
func latencies() []float64 {
	all := make([]float64, 1000)
	for i := range all {
		all[i] = 0.18 * math.Exp(0.8*math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/1000-1))
	}
	return all
}

func TestAllFormatsOfTheClientLibraryReadAlike(t *testing.T) {
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "http.client.duration_seconds", Help: "How \"long\"\\\nit takes."}, []string{"server.address"})
	hostile := "pay\"ments\\{}\n} # é🙂"
	for i, v := range latencies() {
		address := []string{hostile, "other"}[i%2]
		vec.WithLabelValues(address).(prometheus.ExemplarObserver).ObserveWithExemplar(v, prometheus.Labels{"trace_id": "a # {b"})
	}
	others := []prometheus.Collector{
		vec,
		prometheus.NewCounter(prometheus.CounterOpts{Name: "requests_total"}),
		prometheus.NewGauge(prometheus.GaugeOpts{Name: "temperature"}),
		prometheus.NewSummary(prometheus.SummaryOpts{Name: "summed_seconds", Objectives: map[float64]float64{0.5: 0.05}}),
	}
	selection := exposition.Selection{Metric: "http.client.duration_seconds", Matchers: matching(labels.MatchEqual, "server.address", hostile)}
	var sum float64
	want := latency.Histogram{Scheme: latency.Classic, Sum: &sum}
	for i, bound := range append(prometheus.DefBuckets, math.Inf(1)) {
		lower := 0.0
		if i > 0 {
			lower = prometheus.DefBuckets[i-1]
		}
		bin := latency.Bin{Lower: lower, Upper: bound}
		for i, v := range latencies() {
			if i%2 == 0 && v > lower && v <= bound {
				bin.Count++
				sum += v
			}
		}
		want.Bins = append(want.Bins, bin)
	}
	for name, format := range formats() {
		e := read(t, string(expose(t, format, others...)))
		got, err := e.Observe(selection)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got.Now.Parts[0], cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for metric, says := range map[string]string{"requests": "is a counter", "temperature": "is of type gauge", "summed_seconds": "is a summary"} {
			if _, err := e.Observe(exposition.Selection{Metric: metric}); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s, %s: error %v, want %q", name, metric, err, says)
			}
		}
	}
}

func TestNativeHistogramsAreReadFromProtobuf(t *testing.T) {
	native := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "native_seconds", NativeHistogramBucketFactor: 1.1}, []string{"x"})
	for i, v := range latencies() {
		native.WithLabelValues([]string{"1", "2"}[i%2]).Observe(v)
	}
	native.WithLabelValues("1").Observe(0) // the zero bucket
	exposed := string(expose(t, formats()["protobuf"], native))
	o := observe(t, exposed, exposition.Selection{Metric: "native_seconds"})
	h := o.Now.Parts[0]
	if h.Scheme != latency.Exponential || h.Total() != 1001 {
		t.Fatalf("%s with %g calls, want native with 1001", h.Scheme, h.Total())
	}
	for _, bin := range h.Bins {
		want := 0.0
		for _, v := range append(latencies(), 0) {
			if v > bin.Lower && v <= bin.Upper {
				want++
			}
		}
		if bin.Count != want {
			t.Errorf("bin %g to %g holds %g, want %g", bin.Lower, bin.Upper, bin.Count, want)
		}
	}
	// A factor of 1.1 leaves quantiles within 10% of the true ones.
	for q, got := range map[float64]*float64{0.5: o.P50, 0.99: o.P99} {
		if want := latencies()[int(q*1000)]; math.Abs(*got/want-1) > 0.1 {
			t.Errorf("quantile %g is %g, want about %g", q, *got, want)
		}
	}
	one := observe(t, exposed, exposition.Selection{Metric: "native_seconds", Matchers: matching(labels.MatchEqual, "x", "2"), UnitScale: 0.001})
	if n := one.Now.Parts[0].Total(); n != 500 || math.Abs(*one.P50-*o.P50/1000) > 1e-5 {
		t.Errorf("one series in milliseconds: %g calls, p50 %g", n, *one.P50)
	}
	_, err := read(t, string(expose(t, formats()["text"], native))).Observe(exposition.Selection{Metric: "native_seconds"})
	if err == nil || !strings.Contains(err.Error(), "fetch protobuf") {
		t.Errorf("native histogram in text: %v, want the way to get its buckets", err)
	}
}

// A zero bucket of 1 ms ends inside the bucket up to 2^-9.5 s.
func TestZeroBucketMayEndInsideTheFirstBucket(t *testing.T) {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "a", NativeHistogramBucketFactor: 1.5, NativeHistogramZeroThreshold: 0.001})
	h.Observe(0.0005)
	h.Observe(0.00105)
	got := observe(t, string(expose(t, formats()["protobuf"], h)), exposition.Selection{Metric: "a"}).Now.Parts[0].Bins
	want := []latency.Bin{{Lower: -0.001, Upper: 0.001, Count: 1}, {Lower: 0.001, Upper: math.Exp2(-9.5), Count: 1}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("bins (-want +got):\n%s", diff)
	}
}

func TestHistogramWithBothFormsIsReadAsNative(t *testing.T) {
	both := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "both_seconds", Buckets: prometheus.DefBuckets, NativeHistogramBucketFactor: 1.1})
	both.Observe(0.3)
	if h := observe(t, string(expose(t, formats()["protobuf"], both)), exposition.Selection{Metric: "both_seconds"}).Now.Parts[0]; h.Scheme != latency.Exponential {
		t.Errorf("scheme %s", h.Scheme)
	}
	if h := observe(t, string(expose(t, formats()["text"], both)), exposition.Selection{Metric: "both_seconds"}).Now.Parts[0]; h.Scheme != latency.Classic {
		t.Errorf("scheme %s in text", h.Scheme)
	}
}

func TestNativeHistogramsThatAreNoLatenciesAreRefused(t *testing.T) {
	below := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "below_seconds", NativeHistogramBucketFactor: 1.1})
	below.Observe(-1)
	_, err := read(t, string(expose(t, formats()["protobuf"], below))).Observe(exposition.Selection{Metric: "below_seconds"})
	if err == nil || !strings.Contains(err.Error(), "below 0") {
		t.Errorf("got %v", err)
	}
	nan := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "nan_seconds", NativeHistogramBucketFactor: 1.1})
	nan.Observe(1)
	nan.Observe(math.NaN())
	o := observe(t, string(expose(t, formats()["protobuf"], nan)), exposition.Selection{Metric: "nan_seconds"})
	if n := o.Now.Parts[0].Total(); n != 1 || !strings.Contains(strings.Join(o.Notes, "\n"), "observations that are NaN") {
		t.Errorf("%g calls, notes %q: want NaN left out and said", n, o.Notes)
	}
}
