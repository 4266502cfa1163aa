package chart

import (
	"html/template"
	"math"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// Survival is the share of attempts that take longer than a time, on log axes.
// Times are seconds, shares 0 to 1. What is 0 is not drawn.
type Survival struct {
	Text   Text
	Bins   []Bin
	Curves []Curve

	Timeout, P99, Recommended float64

	Estimate *Estimate // at Timeout; nil: none
}

// Bin is one bucket: the shares that lie above its two ends. The survival passes
// through the box between them.
type Bin struct {
	Lower, Upper           float64 // Upper may be +Inf
	AboveLower, AboveUpper float64
}

// Curve is a model's survival, drawn with a class of the style sheet.
type Curve struct {
	Class  string
	Points []Point
}

// Point is a share of attempts that takes longer than so many seconds.
type Point struct{ Seconds, Share float64 }

// Estimate is a share with its bracket.
type Estimate struct{ Point, Lower, Upper float64 }

const (
	survivalWidth, survivalHeight = 760.0, 380.0
	leastShare                    = 1e-6 // the axis goes no lower
)

// SVG draws it.
func (s Survival) SVG() template.HTML {
	c := &canvas{}
	area := frame{left: 62, top: 34, right: survivalWidth - 14, bottom: survivalHeight - 44}
	x, y := s.axes(area)
	s.shade(c, x, y)
	s.grid(c, x, y)
	s.boxes(c, x, y)
	for _, curve := range s.Curves {
		c.path("curve "+curve.Class, curve.on(x, y), false)
	}
	s.marks(c, x, y)
	s.bracket(c, x, y)
	return c.svg(survivalWidth, survivalHeight, "chart survival", s.Text)
}

// axes spans the bins that hold anything and all that is marked.
func (s Survival) axes(area frame) (x, y scale) {
	times := []float64{s.Timeout * 1.6, s.Timeout / 1.6, s.P99, s.Recommended * 1.3}
	shares := []float64{0.5, 1e-3}
	for _, bin := range s.Bins {
		if bin.AboveLower > bin.AboveUpper { // holds something
			times = append(times, bin.Lower, bin.Upper)
		}
		shares = append(shares, bin.AboveUpper)
	}
	if s.Estimate != nil {
		shares = append(shares, s.Estimate.Point, s.Estimate.Lower)
	}
	low, high, ok := spread(times)
	if !ok {
		low, high = 0.001, 10
	}
	const widest = 1e6 // of a time axis: what is far below the timeout does not matter
	least, _, _ := spread(shares)
	floor := math.Pow(10, math.Floor(math.Log10(max(least, leastShare))))
	x = scale{low: max(low/1.1, high/widest), high: high * 1.1, from: area.left, to: area.right, log: true}
	y = scale{low: floor, high: 1, from: area.bottom, to: area.top, log: true}
	return x, y
}

func (s Survival) grid(c *canvas, x, y scale) {
	for _, t := range x.ticks() {
		c.line("grid", point{x.at(t), y.from}, point{x.at(t), y.to})
		c.label("tick", "middle", point{x.at(t), y.from + 16}, figure.Seconds(t))
	}
	for share := y.low; share < 2; share *= 10 {
		c.line("grid", point{x.from, y.at(share)}, point{x.to, y.at(share)})
		c.label("tick", "end", point{x.from - 6, y.at(share) + 4}, figure.Ratio(share))
	}
	c.label("axis", "end", point{x.to, y.from + 36}, "an attempt takes longer than")
	c.label("axis", "start", point{4, 14}, "share of attempts")
}

// shade marks what the timeout cuts off.
func (s Survival) shade(c *canvas, x, y scale) {
	if s.Timeout > 0 {
		c.rect("cut", point{x.at(s.Timeout), y.to}, point{x.to, y.from})
	}
}

// boxes draws, for each bucket, where the survival may run, and the steps above.
func (s Survival) boxes(c *canvas, x, y scale) {
	var steps []point
	for _, bin := range s.Bins {
		if bin.AboveLower <= 0 {
			break
		}
		upper := min(bin.Upper, x.high)
		if upper <= x.low {
			continue
		}
		from, to := point{x.at(bin.Lower), y.at(bin.AboveLower)}, point{x.at(upper), y.at(bin.AboveUpper)}
		c.rect("box", from, to)
		steps = append(steps, from, point{to.x, from.y})
		if !math.IsInf(bin.Upper, 1) {
			steps = append(steps, to)
		}
	}
	c.path("steps", steps, false)
}

func (curve Curve) on(x, y scale) []point {
	var points []point
	for _, p := range curve.Points {
		if math.IsNaN(p.Share) || p.Share < y.low/2 || !x.inside(p.Seconds) {
			continue
		}
		points = append(points, point{x.at(p.Seconds), y.at(p.Share)})
	}
	return points
}

// marks draws the vertical lines. Labels stand at different heights, since the
// lines may be close.
func (s Survival) marks(c *canvas, x, y scale) {
	for i, mark := range []struct {
		class, name string
		at          float64
	}{
		{"p99", "p99", s.P99}, {"recommended", "next", s.Recommended}, {"timeout", "timeout", s.Timeout},
	} {
		if !(mark.at > 0) || !x.inside(mark.at) {
			continue
		}
		position, anchor, shift := x.at(mark.at), "start", 4.0
		if position > x.from+(x.to-x.from)*0.86 {
			anchor, shift = "end", -4
		}
		c.line("mark "+mark.class, point{position, y.from}, point{position, y.to - 4})
		c.label("mark-label "+mark.class, anchor, point{position + shift, y.to + 10 + 15*float64(i)}, mark.name+" "+figure.Seconds(mark.at))
	}
}

// bracket draws the estimate at the timeout with its limits. A lower limit below
// the axis ends at the axis.
func (s Survival) bracket(c *canvas, x, y scale) {
	e := s.Estimate
	if e == nil || !(s.Timeout > 0) || !(e.Upper > 0) {
		return
	}
	position, low, high := x.at(s.Timeout), y.at(e.Lower), y.at(e.Upper)
	const half = 6
	c.line("bracket", point{position, low}, point{position, high})
	c.line("bracket", point{position - half, high}, point{position + half, high})
	if e.Lower >= y.low {
		c.line("bracket", point{position - half, low}, point{position + half, low})
	}
	if e.Point >= y.low {
		c.circle("bracket-point", point{position, y.at(e.Point)}, 4)
	}
}
