package main

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// These draw some rows of docs/accuracy.md again. A change to package latency
// that moves a figure there fails here: run make truth, and read the diff. All
// rows take minutes, so not every drift is seen. Figures may differ by a tenth,
// and percentages by a point: on another processor the last bit of a logarithm
// is another, and draws go other ways.
func TestPageShowsWhatIsMeasured(t *testing.T) {
	written := recorded(t)
	for _, want := range [][]string{shapeRow("three modes", between), censoringRow("recorded rounded to T", .05), quickAlarmRow()} {
		_, rest, found := strings.Cut(written, "\n| "+want[0]+" | ")
		line, _, _ := strings.Cut(rest, " |\n")
		if !found || !alike(strings.Split(line, " | "), want[1:]) {
			t.Errorf("docs/accuracy.md does not have this row, run make truth:\n%shas: %s", row(want), line)
		}
	}
}

// alike reports whether the cells of two rows differ by no more than other
// draws of as many windows would make them.
func alike(written, measured []string) bool {
	return slices.EqualFunc(written, measured, func(a, b string) bool {
		x, unit, isFigure := figureIn(a)
		y, other, _ := figureIn(b)
		switch {
		case !isFigure:
			return a == b
		case unit != other:
			return false
		case unit == "%":
			return math.Abs(x-y) <= 1
		}
		return math.Abs(x-y) <= .1*y
	})
}

// figureIn splits a cell into a figure and its unit.
func figureIn(cell string) (value float64, unit string, ok bool) {
	digits := strings.TrimRight(cell, "% min")
	value, err := strconv.ParseFloat(digits, 64)
	return value, cell[len(digits):], err == nil
}

func TestAlikeIsNarrow(t *testing.T) {
	measured := []string{"1.04", "1.74", "0.5%", "at the first look"}
	for name, c := range map[string]struct {
		written []string
		want    bool
	}{
		"the same":             {measured, true},
		"other draws":          {[]string{"1.04", "1.8", "0.7%", "at the first look"}, true},
		"another factor":       {[]string{"1.04", "2.1", "0.5%", "at the first look"}, false},
		"another share":        {[]string{"1.04", "1.74", "5%", "at the first look"}, false},
		"other words":          {[]string{"1.04", "1.74", "0.5%", "34 min"}, false},
		"a column less":        {measured[:3], false},
		"minutes for a factor": {[]string{"1.04", "1.74 min", "0.5%", "at the first look"}, false},
		"a factor for a share": {[]string{"1.04", "1.74", "0.5", "at the first look"}, false},
	} {
		if got := alike(c.written, measured); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func recorded(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func shapeRow(name string, at place) []string {
	var results []result
	for _, tr := range trials() {
		if tr.shape.name == name && tr.place == at && tr.n == largest {
			results = append(results, battery(tr))
		}
	}
	return batteryRows(byShape(results))[0]
}

func censoringRow(name string, p float64) []string {
	var all []censored
	for _, c := range censorings() {
		if c.cut.name == name && c.p == p {
			all = append(all, bend(c))
		}
	}
	return censoredRows(all)[0]
}

func quickAlarmRow() []string {
	const n, ratio = 20_000, .5
	return alarmRow(raise(alarm{perWindow: n, ratio: ratio}), raise(alarm{perWindow: n, ratio: ratio, from: 1.5}))
}

func TestPageKeepsEveryPromise(t *testing.T) {
	written := recorded(t)
	if !strings.Contains(written, "| promise | reached | met |") || strings.Contains(written, unmet) {
		t.Error("docs/accuracy.md has a promise that is not met, or no promises")
	}
}

func TestPageHasTheWordsOfToday(t *testing.T) {
	var p page
	limits(&p)
	if !strings.HasSuffix(recorded(t), p.String()) {
		t.Error("the last section of docs/accuracy.md is not what the command writes, run make truth")
	}
}

func TestPromisesFailWhereTheyAreBroken(t *testing.T) {
	bad := result{trial: trial{shapes()[2], layouts()[2], largest, .05, onBound}}
	native := bad
	native.trial.layout = layouts()[4]
	for range 10 {
		o := outcome{estimates: [methods]float64{.05, .05, .5}, lower: .4, upper: .6}
		bad.outcomes, native.outcomes = append(bad.outcomes, o), append(native.outcomes, o)
	}
	flapping := []kept{{vigil{hours: 1000}, 20, 40, 20}}
	r := results{
		battery: []result{bad, native}, steady: flapping, episodes: flapping,
		alarms:    []raised{{alarm{perWindow: 5000, ratio: .8}, []float64{1, 2, 3, 4}}, {alarm{perWindow: 5000, ratio: .8, from: 1.5}, []float64{1, math.Inf(1), math.Inf(1)}}},
		censoring: []censored{{censoring{trial{shape: shapes()[0], p: .05}, cuts()[0]}, verdicts{falseClears: 1}}},
	}
	for _, promise := range r.promises() {
		if promise.met {
			t.Errorf("met: %s: %s", promise.promise, promise.reached)
		}
	}
	if text := r.render(); !strings.Contains(text, unmet) || strings.Contains(text, "NaN") {
		t.Error("the page does not say that a promise is broken, or shows a NaN")
	}
}
