package chart

import (
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"
)

// Text is what a drawing says to those who do not see it. ID must be unique on
// the page.
type Text struct {
	ID, Title, Description string
}

// canvas collects the elements of a drawing.
type canvas struct {
	out strings.Builder
}

// svg wraps what was drawn. The elements inside are hidden from screen readers,
// which get title and description.
func (c *canvas) svg(width, height float64, class string, text Text) template.HTML {
	id := html.EscapeString(text.ID)
	return template.HTML(fmt.Sprintf( //nolint:gosec // numbers, our own classes and escaped text
		`<svg class="%s" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-title" aria-describedby="%s-desc">`+
			`<title id="%s-title">%s</title><desc id="%s-desc">%s</desc><g aria-hidden="true">%s</g></svg>`,
		class, at(width), at(height), id, id, id, html.EscapeString(text.Title), id, html.EscapeString(text.Description), c.out.String()))
}

func (c *canvas) line(class string, from, to point) {
	fmt.Fprintf(&c.out, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, at(from.x), at(from.y), at(to.x), at(to.y))
}

func (c *canvas) rect(class string, from, to point) {
	fmt.Fprintf(&c.out, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class,
		at(min(from.x, to.x)), at(min(from.y, to.y)), at(max(from.x, to.x)-min(from.x, to.x)), at(max(from.y, to.y)-min(from.y, to.y)))
}

func (c *canvas) circle(class string, center point, radius float64) {
	fmt.Fprintf(&c.out, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`, class, at(center.x), at(center.y), at(radius))
}

// path draws a line through points, one area when closed.
func (c *canvas) path(class string, points []point, closed bool) {
	if len(points) < 2 {
		return
	}
	fmt.Fprintf(&c.out, `<path class="%s" d="`, class)
	for i, p := range points {
		move := "L"
		if i == 0 {
			move = "M"
		}
		c.out.WriteString(move + at(p.x) + " " + at(p.y))
	}
	if closed {
		c.out.WriteString("Z")
	}
	c.out.WriteString(`"/>`)
}

// label writes text; anchor is start, middle or end.
func (c *canvas) label(class, anchor string, where point, text string) {
	fmt.Fprintf(&c.out, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, at(where.x), at(where.y), html.EscapeString(text))
}

type point struct{ x, y float64 }

// at writes a coordinate with one decimal, which is finer than a pixel.
func at(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
