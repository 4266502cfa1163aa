package exposition

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
)

// isDelimited recognizes protobuf: a length, then the family's name and one of
// the fields that follow it, whose tags are control characters.
func isDelimited(data []byte) bool {
	const nameTag = 1<<3 | 2
	size, n := binary.Uvarint(data)
	if n <= 0 || uint64(len(data)-n) < size || size < 2 || data[n] != nameTag {
		return false
	}
	frame := data[n : n+int(size)]
	length, n := binary.Uvarint(frame[1:])
	if n <= 0 || uint64(len(frame)-1-n) < length {
		return false
	}
	rest := frame[1+n+int(length):]
	return len(rest) == 0 || bytes.IndexByte([]byte{2<<3 | 2, 3 << 3, 4<<3 | 2, 5<<3 | 2}, rest[0]) >= 0
}

func (e *Exposition) readProtobuf(data []byte) error {
	if !framed(data) {
		return e.refuse("is protobuf that was cut short; fetch it again")
	}
	format := expfmt.NewFormat(expfmt.TypeProtoDelim).WithEscapingScheme(model.NoEscaping)
	for decoder := expfmt.NewDecoder(bytes.NewReader(data), format); ; {
		var mf dto.MetricFamily
		err := decoder.Decode(&mf)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return &Error{File: e.file, Message: "is protobuf, and no exposition: " + err.Error(), Err: err}
		}
		e.addFamily(&mf)
	}
}

// framed reports whether every length leads to the next, so that a decoder
// never makes room for more than there is.
func framed(data []byte) bool {
	for len(data) > 0 {
		size, n := binary.Uvarint(data)
		if n <= 0 || uint64(len(data)-n) < size {
			return false
		}
		data = data[n+int(size):]
	}
	return true
}

func (e *Exposition) addFamily(mf *dto.MetricFamily) {
	name := mf.GetName()
	kind := strings.ToLower(strings.ReplaceAll(mf.GetType().String(), "_", ""))
	e.families[name] = family{kind: kind, unit: mf.GetUnit()}
	for _, m := range mf.GetMetric() {
		builder := labels.NewScratchBuilder(len(m.GetLabel()))
		for _, pair := range m.GetLabel() {
			if pair.GetValue() != "" {
				builder.Add(pair.GetName(), pair.GetValue())
			}
		}
		builder.Sort()
		ls := builder.Labels()
		h := m.GetHistogram()
		if h == nil {
			e.samples[name] = append(e.samples[name], sample{labels: ls})
			continue
		}
		if isNative(h) {
			hist := nativeHistogram(h)
			e.natives[name] = append(e.natives[name], native{ls, hist, validate(hist)})
		}
		if !isNative(h) || len(h.GetBucket()) > 0 {
			e.addClassic(name, ls, h)
		}
	}
}

// addClassic adds the series that the text format has for a histogram.
func (e *Exposition) addClassic(name string, ls labels.Labels, h *dto.Histogram) {
	total := float64(h.GetSampleCount())
	if h.GetSampleCountFloat() > 0 {
		total = h.GetSampleCountFloat()
	}
	builder := labels.NewBuilder(ls)
	add := func(bound, count float64) {
		builder.Set(labels.BucketLabel, strconv.FormatFloat(bound, 'g', -1, 64))
		e.samples[name+"_bucket"] = append(e.samples[name+"_bucket"], sample{labels: builder.Labels(), value: count})
	}
	hasInf := false
	for _, b := range h.GetBucket() {
		count := float64(b.GetCumulativeCount())
		if b.GetCumulativeCountFloat() > 0 {
			count = b.GetCumulativeCountFloat()
		}
		add(b.GetUpperBound(), count)
		hasInf = hasInf || math.IsInf(b.GetUpperBound(), 1)
	}
	if !hasInf { // protobuf leaves it to the count
		add(math.Inf(1), total)
	}
	e.samples[name+"_sum"] = append(e.samples[name+"_sum"], sample{labels: ls, value: h.GetSampleSum()})
	e.samples[name+"_count"] = append(e.samples[name+"_count"], sample{labels: ls, value: total})
}

// isNative reports what Prometheus takes for the mark of a native histogram.
func isNative(h *dto.Histogram) bool {
	return len(h.GetPositiveSpan()) > 0 || len(h.GetNegativeSpan()) > 0 ||
		h.GetZeroThreshold() > 0 || h.GetZeroCount() > 0 || h.GetZeroCountFloat() > 0
}

func nativeHistogram(h *dto.Histogram) *histogram.FloatHistogram {
	hist := &histogram.FloatHistogram{
		Schema:        h.GetSchema(),
		ZeroThreshold: h.GetZeroThreshold(),
		ZeroCount:     float64(h.GetZeroCount()),
		Count:         float64(h.GetSampleCount()),
		Sum:           h.GetSampleSum(),
		PositiveSpans: spans(h.GetPositiveSpan()),
		NegativeSpans: spans(h.GetNegativeSpan()),
	}
	if h.GetSampleCountFloat() > 0 || h.GetZeroCountFloat() > 0 || len(h.GetPositiveCount())+len(h.GetNegativeCount()) > 0 {
		hist.Count, hist.ZeroCount = h.GetSampleCountFloat(), h.GetZeroCountFloat()
		hist.PositiveBuckets, hist.NegativeBuckets = h.GetPositiveCount(), h.GetNegativeCount()
	} else {
		hist.PositiveBuckets, hist.NegativeBuckets = running(h.GetPositiveDelta()), running(h.GetNegativeDelta())
	}
	return hist
}

// validate adds to Prometheus's own check what no process can have counted, and
// what arithmetic on histograms takes for granted.
func validate(h *histogram.FloatHistogram) error {
	if !(h.ZeroThreshold >= 0) || math.IsInf(h.ZeroThreshold, 1) {
		return fmt.Errorf("the zero bucket is %g wide", h.ZeroThreshold)
	}
	for _, count := range slices.Concat([]float64{h.ZeroCount, h.Count}, h.PositiveBuckets, h.NegativeBuckets) {
		if math.IsNaN(count) || math.IsInf(count, 0) {
			return fmt.Errorf("it has the count %g", count)
		}
	}
	return h.Validate()
}

func spans(in []*dto.BucketSpan) []histogram.Span {
	out := make([]histogram.Span, len(in))
	for i, s := range in {
		out[i] = histogram.Span{Offset: s.GetOffset(), Length: s.GetLength()}
	}
	return out
}

// running turns each bucket's difference to the one before into its count.
func running(deltas []int64) []float64 {
	counts := make([]float64, len(deltas))
	var count int64
	for i, delta := range deltas {
		count += delta
		counts[i] = float64(count)
	}
	return counts
}
