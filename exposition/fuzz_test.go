package exposition_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	dto "github.com/prometheus/client_model/go"

	"github.com/timeout-auditor/timeout-auditor/exposition"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// FuzzRead checks that any input gives an observation with finite figures, or
// an error that says where and why; and that what prometheus/common reads too
// is read alike.
func FuzzRead(f *testing.F) {
	f.Add(served, "http_seconds")
	f.Add("# TYPE a histogram\na_bucket{le=\"1\"} 3 1\na_bucket{le=\"+Inf\"} 4\na_sum 2\na_count 4\n", "a")
	f.Add("a_bucket{le=\"1\"} 3 1 # {x=\"y\"} 1\na_bucket{le=\"+Inf\"} 4\n# EOF\n", "a")
	f.Add("{\"a_bucket\",le=\"-1\"} 3\na_bucket{le=\"+Inf\"} 1e308\na_bucket{x=\"1\",le=\"-1\"} 3\na_bucket{x=\"1\",le=\"+Inf\"} 1.7e308\n", "a")
	f.Add("a_bucket{le=\"1e-400\"} 3\na_bucket{le=\"1e400\"} 4\n", "a")
	f.Add("a_bucket{le=\"0\"} 3\na_bucket{le=\"-0\"} 3\na_bucket{le=\"+Inf\"} 4\na_sum -1\n", "a")
	f.Add("\xff{\\", "")
	f.Add("# TYPE \"", "a")
	f.Add(delimited(f, nativeCounts(0, 0.001, 1.5, 2)), "a")
	f.Add(delimited(f, nativeCounts(0, 1e138, 1.5, 2)), "a")
	f.Add(delimited(f, nativeCounts(8, 1e300, 1.5, 2), nativeCounts(-4, 0, 1e308)), "a")
	f.Add(delimited(f, &dto.Histogram{SampleCount: ptr(uint64(4)), Bucket: []*dto.Bucket{{UpperBound: ptr(1.0), CumulativeCount: ptr(uint64(3))}}}), "a")
	f.Fuzz(func(t *testing.T, text, metric string) {
		e, err := exposition.Read(strings.NewReader(text), "m.txt")
		if err != nil {
			checkError(t, err, text)
			return
		}
		o, err := e.Observe(exposition.Selection{Metric: metric})
		if err != nil {
			checkError(t, err, text)
			return
		}
		h := o.Now.Parts[0]
		if n := h.Total(); !(n > 0) || math.IsInf(n, 0) {
			t.Errorf("%g calls were read", n)
		}
		if math.IsNaN(*o.P50) || !(*o.P50 <= *o.P99) {
			t.Errorf("p50 %g, p99 %g", *o.P50, *o.P99)
		}
		tail := latency.ReadTail(o, latency.TailOptions{Timeout: 1})
		if math.IsNaN(tail.Point) || !(tail.Lower <= tail.Upper) {
			t.Errorf("p = %g in [%g, %g]", tail.Point, tail.Lower, tail.Upper)
		}
		if want, ok := readByCommon(text, metric); ok && h.Scheme == latency.Classic {
			compareBounds(t, h, want)
		}
	})
}

func checkError(t *testing.T, err error, text string) {
	t.Helper()
	var e *exposition.Error
	if !errors.As(err, &e) || e.Message == "" || e.Line > strings.Count(text, "\n")+1 || !strings.HasPrefix(err.Error(), "m.txt:") {
		t.Errorf("error %#v", err)
	}
}

// readByCommon gives cumulative counts by bound as prometheus/common reads the
// text format.
func readByCommon(text, metric string) (counts map[float64]float64, ok bool) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	mf := families[metric]
	if err != nil || mf.GetType() != dto.MetricType_HISTOGRAM {
		return nil, false
	}
	counts = map[float64]float64{}
	for _, m := range mf.GetMetric() {
		for _, b := range m.GetHistogram().GetBucket() {
			if b.CumulativeCountFloat != nil {
				counts[b.GetUpperBound()] += b.GetCumulativeCountFloat()
			} else {
				counts[b.GetUpperBound()] += float64(b.GetCumulativeCount())
			}
		}
	}
	return counts, true
}

func compareBounds(t *testing.T, h latency.Histogram, want map[float64]float64) {
	t.Helper()
	if len(h.Bins) != len(want) {
		t.Errorf("%d bounds were read, and %d by prometheus/common", len(h.Bins), len(want))
	}
	sum := 0.0
	for _, b := range h.Bins {
		sum += b.Count
		if math.Abs(want[b.Upper]-sum) > 1+1e-9*sum { // common may round counts to whole ones
			t.Errorf("%g calls up to %g, and %g by prometheus/common", sum, b.Upper, want[b.Upper])
		}
	}
}
