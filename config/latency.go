package config

import (
	"fmt"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
)

func latencySection() field[draft] {
	f := section[draft, draft]{
		name: "latency", absent: "required, here or in `defaults`", means: "What measures this call, a histogram as a rule, and how to read it.",
		example: "{histogram: http_client_request_duration_seconds}",
		fields:  latencyFields(),
		of:      func(d *draft) *draft { return d },
	}.field()
	read := f.read
	f.read = func(v value, d *draft) {
		v.applyPreset(d)
		read(v, d)
	}
	return f
}

func latencyFields() []field[draft] {
	return []field[draft]{
		{name: "preset", kind: "name", absent: "none", example: "envoy",
			means: "What a library or mesh is known to export: fills the keys below and the counters of `observed`. What the file sets wins. docs/presets.md lists them.",
			read:  func(v value, _ *draft) { v.preset() }}, // applied before the other keys are read
		{name: "histogram", kind: "metric name", example: "http_client_request_duration_seconds",
			absent: "required, or `quantiles` in its place",
			means:  "Base name of the histogram, classic or native: without `_bucket`, `_count` or `_sum`. Name of the summary where `kind` is summary.",
			read:   readHistogram},
		{name: "selector", kind: "PromQL matchers", example: `'{job="checkout", server_address="payments"}'`,
			absent: "every series of that name",
			means:  "Label matchers in braces, in quotes. They choose the series that are this dependency; they may not name the metric, `le`, or the `quantile` of a summary.",
			read: func(v value, d *draft) {
				if matchers, ok := v.selector(); ok {
					d.Latency.Matchers = matchers
				}
			}},
		{name: "kind", kind: "auto, classic, native or summary", initial: "auto", example: "native",
			means: "Which form of the histogram to read. `auto` asks Prometheus which there is, and prefers native. A `summary` has no buckets and gives its own p50 and p99 only.",
			read:  oneOf([]string{"auto", "classic", "native", "summary"}, func(d *draft) *string { return &d.Latency.Kind })},
		{name: "unit", kind: "auto, seconds or milliseconds", initial: "auto", example: "milliseconds",
			means: "Unit of what is measured. `auto` goes by the histogram's name: milliseconds where it says `milliseconds`, ends in `_ms` or `_millis`, or is one of Envoy's `…_rq_time` and `…_time_ms`; seconds otherwise. `quantiles` are seconds under `auto`.",
			read:  oneOf([]string{"auto", "seconds", "milliseconds"}, func(d *draft) *string { return &d.unit })},
		{name: "scope", kind: "attempt or call", initial: "attempt", example: "call",
			means: "What one observation is: an attempt on the wire, or a call with its retries inside.",
			read:  oneOf([]string{"attempt", "call"}, func(d *draft) *string { return &d.Latency.Scope })},
		{name: "timeouts", kind: "auto, recorded, dropped or uncensored", initial: "auto", example: "recorded",
			means: "What becomes of an attempt that is cut off: it is `recorded` at about the timeout, it is `dropped`, or the histogram is `uncensored` because it is taken where no timeout applies. `auto` decides from data.",
			read:  oneOf([]string{"auto", "recorded", "dropped", "uncensored"}, func(d *draft) *string { return &d.Latency.Timeouts })},
		{name: "replica_label", kind: "label name", example: "instance",
			absent: "replicas are not told apart",
			means:  "Label of the histogram by which one slow replica is told from the others. Not `le`.",
			read:   readReplicaLabel},
		{name: "quantiles", kind: "mapping", example: `{"0.5": 'job:latency_seconds:p50', "0.99": 'job:latency_seconds:p99'}`,
			absent: "read from the histogram",
			means:  "PromQL for quantiles of the latency, in place of a histogram. 0.5 and 0.99 are needed, others from 0.5 up may be added. Each gives a single value.",
			read:   readQuantiles},
	}
}

func readHistogram(v value, d *draft) {
	if name, ok := v.histogram(); ok {
		d.Latency.Histogram = name
	}
}

// histogram reads the base name of a histogram.
func (v value) histogram() (string, bool) {
	text, ok := v.scalar("a metric name")
	if !ok {
		return "", false
	}
	if message := checkHistogram(text); message != "" {
		v.refuse("%s", message)
		return "", false
	}
	return text, true
}

// checkHistogram says what is wrong with a histogram's base name, "" for
// nothing. Almost any UTF-8 text is a metric name today, so PromQL that
// strayed here has to be told apart from one.
func checkHistogram(name string) string {
	if len(name) > maxQuery || !model.UTF8Validation.IsValidMetricName(name) || strings.TrimSpace(name) == "" {
		return "must be a metric name, got " + show(name)
	}
	for _, suffix := range []string{"_bucket", "_count", "_sum"} {
		if base, found := strings.CutSuffix(name, suffix); found && base != "" {
			return fmt.Sprintf("must be the base name without %s, got %s; %s?", suffix, show(name), show(base))
		}
	}
	if model.LegacyValidation.IsValidMetricName(name) {
		return ""
	}
	expr, err := newParser().ParseExpr(name)
	if err != nil {
		return ""
	}
	switch expr := expr.(type) {
	case *parser.VectorSelector:
		return fmt.Sprintf("must be only a metric name, got %s; matchers belong into latency.selector", show(expr.String()))
	case *parser.Call, *parser.AggregateExpr, *parser.MatrixSelector, *parser.SubqueryExpr, *parser.ParenExpr:
		return "must be a metric name, got the PromQL " + show(name)
	}
	return ""
}

// unitScale is seconds per unit of a histogram, by its unit key and, under
// auto, by its name. The error says which unit it can not be.
func unitScale(unit, histogram string) (float64, error) {
	const millisecond = 0.001
	switch unit {
	case "seconds":
		return 1, nil
	case "milliseconds":
		return millisecond, nil
	}
	name := strings.ToLower(strings.NewReplacer(".", "_", "-", "_", "/", "_", ":", "_").Replace(histogram))
	words := strings.Split(name, "_")
	last := words[len(words)-1]
	switch {
	case last == "seconds":
		return 1, nil
	case last == "microseconds" || last == "nanoseconds" || last == "us" || last == "ns":
		return 0, fmt.Errorf("its name says that it counts in %s; only seconds and milliseconds can be read", last)
	case strings.Contains(name, "milliseconds"), last == "ms", last == "millis",
		strings.Contains(name, "_time_ms"), strings.HasSuffix(name, "_rq_time"):
		return millisecond, nil
	}
	return 1, nil
}
