package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"gopkg.in/yaml.v3"
)

// text is a quoted value of a file.
func text(s string) value {
	return value{reader: newReader("config.yaml", nil), path: "key", line: 1,
		node: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}}
}

func TestExpandWindowReplacesWholeWordsOnly(t *testing.T) {
	const query = `rate(a_total[$window]) / rate(b_total[$windows]) * $window_x > rate(c_total[$window:1m] offset $window)`
	const want = `rate(a_total[1d12h]) / rate(b_total[$windows]) * $window_x > rate(c_total[1d12h:1m] offset 1d12h)`
	if got := ExpandWindow(query, 36*time.Hour); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPromQLThatReadsRatesIsAccepted(t *testing.T) {
	for _, query := range []string{
		`sum(rate(errors_total[$window])) / sum(rate(requests_total[$window]))`,
		`sum(irate(errors_total[5m]))`,
		`job:errors:rate5m`,
		`job:errors_total:rate5m`,
		`sum(increase(errors_total[1h])) / 3600`,
		`increase(errors_total[1h]) * on() group_left() scale`,
		`rate(http_seconds_count[$window])`,
		`histogram_count(rate(http_seconds[$window]))`,
		`histogram_count(job:http_seconds:rate5m)`,
		`rate(errors_total[$window]) or absent(errors_total) * 0`,
		`count(errors_total) * job:errors:rate5m`,
		`max_over_time(sum(rate(errors_total[5m]))[$window:1m])`,
		`rate(sum(errors_total)[$window:1m])`,
		`errors_per_second`,
		`rate({"errors.total"}[$window])`,
		`scalar(sum(rate(errors_total[$window])))`,
		`mad_over_time(job:errors:rate5m[1h])`, // experimental: the server decides
		"sum(\n  rate(errors_total[$window]) # a comment\n)",
	} {
		v := text(query)
		if got, ok := v.promql(forRate); !ok || got != query {
			t.Errorf("%s: %v", query, v.problems)
		}
	}
}

func TestSelectorIsReadAsItStands(t *testing.T) {
	for _, tc := range []struct {
		selector string
		want     []string
	}{
		{`{}`, nil},
		{` {job="a",} `, []string{`job="a"`}},
		{`{"http.method"=~"GET|PUT", 'größe'!="\"}{", x!~'\\d+'}`, []string{`"http.method"=~"GET|PUT"`, `"größe"!="\"}{"`, `x!~"\\d+"`}},
	} {
		v := text(tc.selector)
		matchers, ok := v.selector()
		if !ok {
			t.Errorf("%s: %v", tc.selector, v.problems)
			continue
		}
		var got []string
		for _, m := range matchers {
			got = append(got, m.String())
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.selector, diff)
		}
	}
}

// What is accepted must mean the same to whoever parses it again.
func FuzzPromQL(f *testing.F) {
	for _, s := range []string{
		`sum(rate(errors_total[$window]))`, `{job="a"}`, `{"a.b"=~"x|y"}`, `up`, `1`, `-(0.5)`, `histogram_count(h)`, `"x"`, `{le="1"}`,
		`a_total - a_total offset $window`, `{__name__=~"(.+)_total"}`, `increase(x[5m]) / 300`, `x[5m:1m]`, `$window`, `rate(x[$`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if query, ok := text(s).promql(forRate); ok {
			expr, err := newParser().ParseExpr(ExpandWindow(query, time.Minute))
			if err != nil || expr.Type() != parser.ValueTypeVector && expr.Type() != parser.ValueTypeScalar {
				t.Errorf("accepted %q: %v", s, err)
			}
		}
		if matchers, ok := text(s).selector(); ok {
			for _, m := range matchers {
				if m.Name == model.MetricNameLabel || m.Name == labels.BucketLabel {
					t.Errorf("accepted %q with %s", s, m)
				}
			}
		}
		if message := checkHistogram(s); message == "" {
			series := (&parser.VectorSelector{LabelMatchers: []*labels.Matcher{labels.MustNewMatcher(labels.MatchEqual, model.MetricNameLabel, s)}}).String()
			if _, err := newParser().ParseExpr(series); err != nil {
				t.Errorf("accepted the histogram %q, but %v", s, err)
			}
		}
	})
}
