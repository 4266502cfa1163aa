package main

import (
	"fmt"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/truth/loop"
)

// page is Markdown in the making.
type page struct{ strings.Builder }

func (p *page) title(level int, text string) {
	fmt.Fprintf(p, "\n%s %s\n", strings.Repeat("#", level), text)
}

// say writes a paragraph.
func (p *page) say(format string, args ...any) {
	fmt.Fprintf(p, "\n"+format+"\n", args...)
}

// table writes a table of figures: columns after the first are aligned right.
func (p *page) table(head []string, rows [][]string) {
	p.rows(head, "|---|"+strings.Repeat("--:|", len(head)-1), rows)
}

// prose writes a table of words.
func (p *page) prose(head []string, rows [][]string) {
	p.rows(head, strings.Repeat("|---", len(head))+"|", rows)
}

func (p *page) rows(head []string, rule string, rows [][]string) {
	p.WriteString("\n" + row(head) + rule + "\n")
	for _, r := range rows {
		p.WriteString(row(r))
	}
}

func row(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// results is all that the page is written from.
type results struct {
	battery   []result
	steady    []kept
	episodes  []kept
	alarms    []raised
	censoring []censored
	loop      []loop.Row
}

// render writes docs/accuracy.md.
func (r results) render() string {
	p := &page{}
	p.WriteString("# Accuracy\n")
	p.say("`make truth` writes this page. It draws histograms from latency distributions that are known exactly, has the auditor read them, and compares. " +
		"Every figure here comes from that command, with a fixed seed; none is typed by hand. The code is in `truth/`; the formulas are in [model.md](model.md).")
	r.targets(p)
	r.estimates(p)
	r.watching(p)
	r.cutting(p)
	r.closedLoop(p)
	limits(p)
	return p.String()
}
