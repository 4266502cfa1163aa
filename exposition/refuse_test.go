package exposition_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/exposition"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

const inf = "a_bucket{le=\"+Inf\"} 5\n"

// refusal is a histogram that must not be read. want is how the message begins,
// or a part of it after "…".
type refusal struct {
	text   string
	reason latency.Reason
	want   string
}

func (r refusal) check(t *testing.T, s exposition.Selection) {
	t.Helper()
	observed, err := read(t, r.text).Observe(s)
	var e *exposition.Error
	if !errors.As(err, &e) {
		t.Fatalf("read as %+v, error %v", observed.Now, err)
	}
	if e.Reason != r.reason {
		t.Errorf("reason %q, want %q", e.Reason, r.reason)
	}
	wantMessage(t, err, r.want)
}

func wantMessage(t *testing.T, err error, want string) {
	t.Helper()
	part, anywhere := strings.CutPrefix(want, "…")
	message := err.Error()
	if !strings.HasPrefix(message, "m.txt:") || !anywhere && !strings.HasPrefix(message, want) || !strings.Contains(message, part) {
		t.Errorf("message %q, want %q", message, want)
	}
}

func TestCountsThatAreNoHistogramAreRefused(t *testing.T) {
	for name, r := range map[string]refusal{
		"counts fall": {"a_bucket{x=\"1\",le=\"1\"} 5\na_bucket{x=\"1\",le=\"2.0\"} 3\na_bucket{x=\"1\",le=\"+Inf\"} 5\n", latency.ReasonNonMonotonic,
			`m.txt:2: a: the bucket le="2.0" of {x="1"} holds 3, less than the 5 of le="1"`},
		"+Inf below the rest": {"a_bucket{le=\"1\"} 9\n" + inf, latency.ReasonNonMonotonic, `m.txt:2: a: the bucket le="+Inf" of the series without labels holds 5`},
		"negative count":      {"a_bucket{le=\"1\"} -5\n" + inf, latency.ReasonNonMonotonic, `m.txt:1: a: the bucket le="1" has the count -5`},
		"NaN count":           {"a_bucket{le=\"1\"} NaN\n" + inf, latency.ReasonNonMonotonic, `m.txt:1: a: the bucket le="1" has the count NaN`},
		"infinite count":      {"a_bucket{le=\"1\"} 1\na_bucket{le=\"+Inf\"} +Inf\n", latency.ReasonNonMonotonic, "m.txt:2: a: "},
		"no +Inf":             {"a_bucket{le=\"1\"} 5\n", latency.ReasonNoHistogram, `m.txt:1: a: the series without labels has no bucket le="+Inf"`},
		"+Inf alone":          {inf, latency.ReasonNoHistogram, `m.txt:1: a: the series without labels has the bucket le="+Inf" alone`},
		"bound is no number":  {"a_bucket{le=\"many\"} 5\n" + inf, latency.ReasonNoHistogram, `m.txt:1: a: a bucket bound must be a number or +Inf, got le="many"`},
		"bound NaN":           {"a_bucket{le=\"NaN\"} 5\n" + inf, latency.ReasonNoHistogram, "m.txt:1: a: a bucket bound"},
		"bound -Inf":          {"a_bucket{le=\"-Inf\"} 5\n" + inf, latency.ReasonNoHistogram, "m.txt:1: a: a bucket bound"},
		"bucket without le":   {inf + "a_bucket{x=\"1\"} 1\n", latency.ReasonNoHistogram, "m.txt:2: a: a _bucket series has no le"},
		"values below 0":      {"a_bucket{le=\"-1\"} 0\na_bucket{le=\"-0.5\"} 2\n" + inf, latency.ReasonNoHistogram, `m.txt:2: a: the bucket le="-0.5" holds 2 values below 0`},
		"one bound, two spellings": {"a_bucket{le=\"1\"} 5\na_bucket{le=\"1.0\"} 5\n" + inf, latency.ReasonNoHistogram,
			`m.txt:2: a: the bucket le="1.0" of the series without labels has the same bound as le="1" (line 1)`},
		"one bucket twice": {"a_bucket{le=\"1\"} 5\na_bucket{le=\"1\"} 5\n" + inf, latency.ReasonNoHistogram, `m.txt:2: a: the bucket le="1" of the series without labels comes twice (line 1)`},
		"a history":        {"a_bucket{le=\"1\"} 5 1\n" + inf + "a_bucket{le=\"1\"} 6 2\n", latency.ReasonNoHistogram, `…comes twice (line 1); keep one moment of one process`},
		"layouts differ": {"a_bucket{x=\"1\",le=\"1\"} 5\na_bucket{x=\"1\",le=\"+Inf\"} 5\na_bucket{x=\"2\",le=\"1\"} 3\na_bucket{x=\"2\",le=\"2\"} 5\na_bucket{x=\"2\",le=\"+Inf\"} 5\n", latency.ReasonMixedBuckets,
			`m.txt:3: a: series with different bucket bounds cannot be added up: {x="2"} has le="2" and {x="1"} has not`},
		"counts overflow": {"a_bucket{x=\"1\",le=\"1\"} 1\na_bucket{x=\"1\",le=\"+Inf\"} 1.7e308\na_bucket{x=\"2\",le=\"1\"} 3\na_bucket{x=\"2\",le=\"+Inf\"} 1.7e308\n", latency.ReasonNoHistogram,
			"m.txt:1: a: the series cannot be added up"},
	} {
		t.Run(name, func(t *testing.T) { r.check(t, exposition.Selection{Metric: "a"}) })
	}
}

func TestOtherMetricsOfTheNameAreRefused(t *testing.T) {
	const none = latency.ReasonNoHistogram
	for name, r := range map[string]refusal{
		"gauge":              {"# TYPE a gauge\na 1\n", none, "m.txt:1: a: is of type gauge and no histogram; the file has no histogram"},
		"counter":            {"# TYPE a counter\na 1\nb_bucket{le=\"1\"} 1\n", none, "m.txt:1: a: is a counter and no histogram; histograms here: b"},
		"OpenMetrics info":   {"# TYPE a info\na_info{v=\"1\"} 1\n# EOF\n", none, "m.txt:1: a: is of type info and no histogram"},
		"counter undeclared": {"up 1\na_total 1\n", none, "m.txt:2: a: is a counter and no histogram"},
		"undeclared":         {"a 1\n", none, "m.txt:1: a: has no _bucket series"},
		"summary":            {"# TYPE a summary\na{quantile=\"0.5\"} 1\na_sum 1\na_count 1\n", none, "m.txt:1: a: is a summary"},
		"summary undeclared": {"a{quantile=\"0.5\"} 1\na_sum 1\na_count 1\n", none, "m.txt:1: a: is a summary"},
		"gauge histogram":    {"# TYPE a gaugehistogram\na_bucket{le=\"1\"} 1\na_bucket{le=\"+Inf\"} 1\na_gcount 1\n# EOF\n", none, "m.txt:1: a: is a gauge histogram"},
		"count and sum":      {"a_sum 1\na_count 1\n", none, "m.txt:2: a: has _count and no _bucket series"},
	} {
		t.Run(name, func(t *testing.T) { r.check(t, exposition.Selection{Metric: "a"}) })
	}
}

// What is absent has no reason: nothing is wrong with data that are not there.
func TestAbsentSeriesSayWhatThereIs(t *testing.T) {
	var many strings.Builder
	for _, name := range "abcdefghijkl" {
		many.WriteString(string(name) + "_bucket{le=\"1\"} 1\n")
	}
	for name, c := range map[string]struct {
		text string
		sel  exposition.Selection
		want string
	}{
		"misspelt":        {served + "other_bucket{le=\"1\"} 1\n", exposition.Selection{Metric: "http_secnds"}, "m.txt: http_secnds: no such metric; did you mean http_seconds? Histograms here: http_seconds, other"},
		"nothing like it": {served, exposition.Selection{Metric: "x"}, "m.txt: x: no such metric; histograms here: http_seconds"},
		"many":            {many.String(), exposition.Selection{Metric: "nothing_like_it"}, "…histograms here: a, b, c, d, e, f, g, h, i, j and 2 more"},
		"no histogram":    {"up 1\n", exposition.Selection{Metric: "x"}, "m.txt: x: no such metric; the file has no histogram"},
		"declared only":   {"# TYPE x histogram\n", exposition.Selection{Metric: "x"}, "m.txt:1: x: is declared and has no series yet"},
		"no call yet":     {"x_bucket{le=\"1\"} 0\nx_bucket{le=\"+Inf\"} 0\n", exposition.Selection{Metric: "x"}, "m.txt: x: has counted nothing since the process started"},
		"selects nothing": {served, exposition.Selection{Metric: "http_seconds", Matchers: matching(labels.MatchEqual, "code", "404")},
			`m.txt: http_seconds: no series match {code="404"}; there are {code="200"}, {code="500"}`},
	} {
		t.Run(name, func(t *testing.T) { refusal{c.text, "", c.want}.check(t, c.sel) })
	}
}

func TestWhatIsNoExpositionIsRefusedByName(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":                {" \n", "m.txt: is empty"},
		"web page":             {"\n<!DOCTYPE html>\n<html>", "m.txt: is a web page"},
		"JSON":                 {"{\"status\": \"success\"}\n", "m.txt: is JSON"},
		"gzip":                 {"\x1f\x8b\x08\x00rest", "m.txt: is compressed"},
		"UTF-16":               {"\xff\xfea\x00 \x001\x00", "m.txt: is UTF-16"},
		"binary":               {"a 1\n\xff\xff 1\n", "m.txt:2: is not UTF-8"},
		"no value":             {"# TYPE a histogram\na_bucket{le=\"1\"}\n", `m.txt:2: must have a number for its value, got ""`},
		"name alone":           {"a\n", "m.txt:1: must have a number for its value"},
		"no name":              {"{le=\"1\"} 1\n", "m.txt:1: has labels and no metric name"},
		"two names":            {"a{\"b\"} 1\n", "m.txt:1: has two metric names, a and b"},
		"name in quotes":       {"\"a\" 1\n", "m.txt:1: has a quoted metric name outside of braces"},
		"empty name":           {"{\"\"} 1\n", "m.txt:1: must have a label name, got an empty one"},
		"no name at all":       {"=1\n", "m.txt:1: must have a metric name here"},
		"value is no number":   {"a 1x\n", `m.txt:1: must have a number for its value, got "1x"`},
		"value in hexadecimal": {"a 0x1p4\n", "m.txt:1: must have a number for its value"},
		"composite value":      {"a {count:1,sum:2} st@1\n", "m.txt:1: has a composite value of OpenMetrics 2"},
		"labels, composite":    {"a{x=\"1\"} {count:1,sum:2} st@1\n", "m.txt:1: has a composite value of OpenMetrics 2"},
		"timestamp":            {"a 1 now\n", "m.txt:1: must have a number for its timestamp"},
		"too much":             {"a 1 2 3\n", `m.txt:1: must end after value and timestamp, got "3"`},
		"cut short in labels":  {"a_bucket{le=\"1\"", "m.txt:1: must go on with a comma or }"},
		"cut short in a value": {"a_bucket{le=\"1", "m.txt:1: label le: lacks its closing quote"},
		"cut short in escape":  {"a_bucket{le=\"1\\", "m.txt:1: label le: lacks its closing quote"},
		"no quotes":            {"a_bucket{le=1} 1\n", "m.txt:1: label le: must be in double quotes"},
		"label without value":  {"a_bucket{le} 1\n", "m.txt:1: label le must be followed by ="},
		"label twice":          {"a_bucket{le=\"1\",le=\"2\"} 1\n", "m.txt:1: has the label le twice"},
		"comma before":         {"a_bucket{,le=\"1\"} 1\n", "m.txt:1: must have a label name here"},
		"after the end":        {"a 1\n# EOF\nb 1\n", "m.txt:3: stands after the # EOF of line 2"},
		"type that is none":    {"# TYPE a histogramm\n", "m.txt:1: TYPE of a must be one of counter,"},
		"type without a name":  {"# TYPE\n", "m.txt:1: TYPE: must have a metric name"},
		"types differ":         {"# TYPE a gauge\n# TYPE a counter\n", "m.txt:2: TYPE of a is counter here and gauge on line 1"},
		"cut off protobuf":     {"\x08\x0a\x01a\x18\x01\x22\x01\x00\x08\x0a", "m.txt: is protobuf that was cut short"},
		"broken protobuf":      {"\x05\x0a\x01a\x22\x09", "m.txt: is protobuf, and no exposition"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := exposition.Read(strings.NewReader(c.text), "m.txt")
			if err == nil {
				t.Fatalf("read, with histograms %q", e.Histograms())
			}
			wantMessage(t, err, c.want)
		})
	}
}
