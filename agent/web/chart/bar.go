package chart

import "html/template"

// Bar is one stretch of time beside the others of its table, with the deadline
// that all share. Times are seconds on a line of the given length.
type Bar struct {
	Text          Text
	Class         string
	From, Long    float64
	Deadline, End float64
}

const barWidth, barHeight = 400.0, 18.0

// SVG draws it.
func (b Bar) SVG() template.HTML {
	c := &canvas{}
	x := scale{low: 0, high: b.End, from: 0, to: barWidth}
	if !(x.high > 0) {
		x.high = 1
	}
	c.rect("room", point{x.at(0), 2}, point{x.at(b.Deadline), barHeight - 2})
	const visible = 1.5
	from, to := x.at(b.From), x.at(b.From+b.Long)
	c.rect("span "+b.Class, point{from, 4}, point{max(to, from+visible), barHeight - 4})
	c.line("deadline", point{x.at(b.Deadline), 0}, point{x.at(b.Deadline), barHeight})
	return c.svg(barWidth, barHeight, "chart bar", b.Text)
}
