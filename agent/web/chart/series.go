package chart

import (
	"html/template"
	"math"
	"slices"
	"time"
)

// Series is one or more values over time, on a log axis.
type Series struct {
	Text       Text
	Start, End time.Time
	Step       time.Duration // samples further apart than twice this are not joined
	Lines      []Line
	Band       *Band // behind the lines; nil: none
	Format     func(float64) string
}

// Line is one value over time, drawn with a class of the style sheet.
type Line struct {
	Class   string
	Samples []Sample
}

// Band is what lies between two values over time.
type Band struct{ Lower, Upper []Sample }

// Sample is a value at a moment.
type Sample struct {
	At    time.Time
	Value float64
}

const seriesWidth, seriesHeight = 760.0, 210.0

// SVG draws it.
func (s Series) SVG() template.HTML {
	c := &canvas{}
	area := frame{left: 62, top: 10, right: seriesWidth - 14, bottom: seriesHeight - 26}
	x := scale{low: 0, high: s.End.Sub(s.Start).Seconds(), from: area.left, to: area.right}
	y := s.values(area)
	s.grid(c, x, y)
	if s.Band != nil {
		for _, stretch := range s.stretches(s.Band.Upper) {
			s.band(c, stretch, x, y)
		}
	}
	for _, line := range s.Lines {
		for _, stretch := range s.stretches(line.Samples) {
			points := s.on(stretch, x, y)
			c.path("line "+line.Class, points, false)
			if len(points) == 1 {
				c.circle("line-point "+line.Class, points[0], 2)
			}
		}
	}
	return c.svg(seriesWidth, seriesHeight, "chart series", s.Text)
}

func (s Series) values(area frame) scale {
	var all []float64
	add := func(samples []Sample) {
		for _, sample := range samples {
			all = append(all, sample.Value)
		}
	}
	for _, line := range s.Lines {
		add(line.Samples)
	}
	if s.Band != nil {
		add(s.Band.Upper)
	}
	low, high, ok := spread(all)
	if !ok {
		low, high = 1e-4, 1
	}
	const deepest, margin = 1e5, 1.25
	return scale{low: max(low/margin, high/deepest), high: high * margin, from: area.bottom, to: area.top, log: true}
}

// grid divides the time into four.
func (s Series) grid(c *canvas, x, y scale) {
	format := "15:04"
	if s.End.Sub(s.Start) > 48*time.Hour {
		format = "Jan 2"
	}
	for _, tick := range y.ticks() {
		c.line("grid", point{x.from, y.at(tick)}, point{x.to, y.at(tick)})
		c.label("tick", "end", point{x.from - 6, y.at(tick) + 4}, s.Format(tick))
	}
	const parts = 4
	for i := range parts + 1 {
		seconds := x.high * float64(i) / parts
		anchor := "middle"
		if i == parts {
			anchor = "end"
		}
		c.line("grid", point{x.at(seconds), y.from}, point{x.at(seconds), y.to})
		moment := s.Start.Add(time.Duration(seconds * float64(time.Second)))
		c.label("tick", anchor, point{x.at(seconds), y.from + 18}, moment.UTC().Format(format))
	}
}

// stretches splits samples where some are missing, and drops what is not a
// number.
func (s Series) stretches(samples []Sample) [][]Sample {
	var all [][]Sample
	var last time.Time
	for _, sample := range samples {
		if math.IsNaN(sample.Value) || math.IsInf(sample.Value, 0) {
			continue
		}
		if len(all) == 0 || sample.At.Sub(last) > 2*s.Step {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], sample)
		last = sample.At
	}
	return all
}

func (s Series) on(samples []Sample, x, y scale) []point {
	points := make([]point, len(samples))
	for i, sample := range samples {
		points[i] = point{x.at(sample.At.Sub(s.Start).Seconds()), y.at(sample.Value)}
	}
	return points
}

// band fills what lies between the upper samples of one stretch and the lower
// ones of the same moments.
func (s Series) band(c *canvas, upper []Sample, x, y scale) {
	lowerAt := map[time.Time]float64{}
	for _, sample := range s.Band.Lower {
		lowerAt[sample.At] = sample.Value
	}
	lower := slices.Clone(upper)
	for i := range lower {
		lower[i].Value = lowerAt[lower[i].At]
	}
	slices.Reverse(lower)
	c.path("band", append(s.on(upper, x, y), s.on(lower, x, y)...), true)
}
