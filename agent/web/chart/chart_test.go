package chart_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent/web/chart"
	"github.com/timeout-auditor/timeout-auditor/figure"
)

// elements counts what a drawing holds, by element and class. It fails the test
// on what is no XML or holds a number that is none.
func elements(t *testing.T, drawing string) map[string]int {
	t.Helper()
	if strings.Contains(drawing, "NaN") || strings.Contains(drawing, "Inf") {
		t.Errorf("a number that is none: %s", drawing)
	}
	count := map[string]int{}
	decoder := xml.NewDecoder(strings.NewReader(drawing))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("%v in %s", err, drawing)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		name := start.Name.Local
		for _, attribute := range start.Attr {
			if attribute.Name.Local == "class" {
				name += "." + attribute.Value
			}
			if attribute.Name.Local == "style" {
				t.Errorf("inline style in %s", drawing)
			}
		}
		count[name]++
	}
}

func survival() chart.Survival {
	return chart.Survival{
		Text: chart.Text{ID: "s", Title: "a <b>", Description: `"quoted" & more`},
		Bins: []chart.Bin{{0, 0.1, 1, 0.5}, {0.1, 0.25, 0.5, 0.1}, {0.25, 1, 0.1, 0}, {1, math.Inf(1), 0, 0}},
		Curves: []chart.Curve{{Class: "lognormal", Points: []chart.Point{
			{0.05, 0.9}, {0.1, math.NaN()}, {0.2, 0.2}, {0.4, 0.01},
		}}},
		Timeout: 0.25, P99: 0.9, Recommended: 0.5,
		Estimate: &chart.Estimate{Point: 0.1, Lower: 0.08, Upper: 0.12},
	}
}

func TestSurvivalShowsEverythingItHas(t *testing.T) {
	got := elements(t, string(survival().SVG()))
	for name, want := range map[string]int{
		"rect.box": 3, "path.steps": 1, "path.curve lognormal": 1, "rect.cut": 1, "line.bracket": 3, "circle.bracket-point": 1,
		"line.mark timeout": 1, "line.mark p99": 1, "line.mark recommended": 1, "title": 1, "desc": 1,
	} {
		if got[name] != want {
			t.Errorf("%d of %s, want %d", got[name], name, want)
		}
	}
}

func TestSurvivalLeavesOutWhatIsNotKnown(t *testing.T) {
	for name, s := range map[string]chart.Survival{
		"nothing":       {},
		"no timeout":    {Bins: survival().Bins},
		"no bins":       {Timeout: 1, Estimate: &chart.Estimate{Upper: 1}},
		"only the last": {Bins: []chart.Bin{{10, math.Inf(1), 1, 1}}, Timeout: 2},
		"point zero":    {Bins: survival().Bins, Timeout: 5, Estimate: &chart.Estimate{Upper: 0.001}},
	} {
		t.Run(name, func(t *testing.T) {
			got := elements(t, string(s.SVG()))
			if s.Timeout == 0 && got["rect.cut"]+got["line.mark timeout"] > 0 {
				t.Error("a timeout that is not there")
			}
			if s.Estimate != nil && s.Estimate.Point == 0 && got["circle.bracket-point"] > 0 {
				t.Error("a point at zero on a log axis")
			}
		})
	}
}

func TestSeriesBreaksWhereSamplesAreMissing(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	sample := func(minute int, v float64) chart.Sample {
		return chart.Sample{At: start.Add(time.Duration(minute) * time.Minute), Value: v}
	}
	s := chart.Series{
		Start: start, End: start.Add(time.Hour), Step: time.Minute, Format: figure.Seconds,
		Lines: []chart.Line{{Class: "p99", Samples: []chart.Sample{
			sample(1, 0.1), sample(2, 0.2), sample(3, math.NaN()), sample(10, 0.3), sample(11, 0.2), sample(30, 0.4),
		}}},
		Band: &chart.Band{Lower: []chart.Sample{sample(1, 0), sample(2, 0.1)}, Upper: []chart.Sample{sample(1, 0.2), sample(2, 0.3)}},
	}
	got := elements(t, string(s.SVG()))
	if got["path.line p99"] != 2 || got["circle.line-point p99"] != 1 || got["path.band"] != 1 {
		t.Errorf("two stretches, one single sample and one band were wanted: %v", got)
	}
	elements(t, string(chart.Series{Start: start, End: start.Add(time.Hour), Format: figure.Ratio}.SVG()))
}

// An axis without a number says nothing, however little the values differ.
func TestEveryAxisHasNumbers(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, values := range [][2]float64{{0.3, 0.38}, {0.372, 0.373}, {0.9, 1.1}, {0.001, 20}, {1e-9, 1}, {0.07, 0.07}} {
		s := chart.Series{Start: start, End: start.Add(time.Hour), Step: time.Hour, Format: figure.Seconds, Lines: []chart.Line{{
			Class: "p99", Samples: []chart.Sample{{At: start, Value: values[0]}, {At: start.Add(time.Hour), Value: values[1]}},
		}}}
		const moments = 5
		if n := elements(t, string(s.SVG()))["text.tick"] - moments; n < 1 || n > 10 {
			t.Errorf("%v: %d numbers on the axis", values, n)
		}
	}
}
