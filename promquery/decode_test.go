package promquery

import (
	"math"
	"strings"
	"testing"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

func TestConfiguredExpressionAnswersWithOneNumber(t *testing.T) {
	vector := func(points ...point) answer {
		a := answer{kind: model.ValVector}
		for _, p := range points {
			a.rows = append(a.rows, row{newLabelSet(model.Metric{"job": "a"}), []point{p}})
		}
		return a
	}
	one := func(v float64) answer { return vector(point{number: v}) }
	rate, ratio := asked{key: "observed.calls"}, asked{key: "error_ratio", gives: aRatio}
	for name, tc := range map[string]struct {
		asked  asked
		answer answer
		want   float64
		note   string
		err    string
	}{
		"a vector of one":            {rate, one(0.25), 0.25, "", ""},
		"a scalar":                   {rate, answer{model.ValScalar, one(3).rows}, 3, "", ""},
		"zero":                       {ratio, one(0), 0, "", ""},
		"all fail":                   {ratio, one(1), 1, "", ""},
		"a little above 1":           {ratio, one(1.004), 1, "", ""},
		"percent":                    {ratio, one(40), 0, "", "must be a ratio from 0 to 1"},
		"many a second":              {rate, one(4000), 4000, "", ""},
		"negative":                   {rate, one(-1), 0, "", "at least 0"},
		"infinite":                   {ratio, one(math.Inf(1)), 0, "", "divided by 0"},
		"nothing divided by nothing": {ratio, one(math.NaN()), 0, "NaN", ""},
		"no series":                  {rate, vector(), 0, "no series match", ""},
		"two series":                 {rate, vector(point{number: 1}, point{number: 2}), 0, "", "aggregate it, for example by sum(…)"},
		"a histogram":                {rate, vector(point{histogram: &model.SampleHistogram{}}), 0, "", "histogram_count"},
		"a matrix":                   {rate, answer{kind: model.ValMatrix}, 0, "", "a matrix"},
		"a string":                   {rate, answer{kind: model.ValString}, 0, "", "a string"},
	} {
		t.Run(name, func(t *testing.T) {
			v, note, err := single(tc.asked, tc.answer)
			switch {
			case tc.err != "":
				if err == nil || !strings.Contains(err.Message, tc.err) || !strings.HasPrefix(err.Message, tc.asked.key) {
					t.Errorf("got error %v, want one that says %q", err, tc.err)
				}
			case err != nil:
				t.Errorf("error %v", err)
			case tc.note != "":
				if v != nil || !strings.Contains(note, tc.note) {
					t.Errorf("got %v with the note %q, want none and %q", v, note, tc.note)
				}
			case v == nil || *v != tc.want || note != "":
				t.Errorf("got %v with the note %q, want %v", v, note, tc.want)
			}
		})
	}
}

func TestQuantilesThatAreNoNumbersAreNotGiven(t *testing.T) {
	of := func(q string, v float64) row {
		return row{newLabelSet(model.Metric{quantileLabel: model.LabelValue(q)}), []point{{number: v}}}
	}
	p50, p99, err := decodeQuantiles(answer{model.ValVector, []row{of("0.5", math.NaN()), of("0.99", math.Inf(1)), of("0.9", 3)}})
	if p50 != nil || p99 != nil || err != nil {
		t.Errorf("got %v, %v, %v; want nothing", p50, p99, err)
	}
}

func TestUnitsConvertToTheLastBit(t *testing.T) {
	for ms := 1; ms <= 100000; ms++ {
		if got, want := unit(0.001).seconds(float64(ms)), float64(ms)/1000; got != want {
			t.Fatalf("%d ms became %v s, want %v", ms, got, want)
		}
	}
	if got := unit(1).seconds(0.3); got != 0.3 {
		t.Errorf("0.3 s became %v", got)
	}
	if got := unit(60).seconds(2); got != 120 {
		t.Errorf("2 min became %v s, want 120", got)
	}
	if got := unit(0.001).seconds(math.Inf(1)); !math.IsInf(got, 1) {
		t.Errorf("+Inf became %v", got)
	}
}

func TestForeignTextFitsOneLine(t *testing.T) {
	for in, want := range map[string]string{
		" first\nsecond":         "first",
		"a\x1b[31mred\tx":        "a [31mred x",
		"bad \xff byte":          "bad \uFFFD byte",
		strings.Repeat("é", 999): strings.Repeat("é", longestLine) + "…",
		"":                       "",
	} {
		if got := line(in); got != want {
			t.Errorf("line(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestEveryKindHasAStatus(t *testing.T) {
	want := map[Kind]latency.Status{KindNoData: latency.StatusNoData, KindUnusable: latency.StatusNoData}
	for _, o := range Outcomes() {
		if o != OutcomeSuccess {
			want[Kind(o)] = latency.StatusQueryFailed
		}
	}
	for kind, status := range want {
		if got := (&Error{Kind: kind}).Status(); got != status {
			t.Errorf("kind %s has status %s, want %s", kind, got, status)
		}
	}
}
