package web

import (
	"fmt"
	"html/template"
	"net/http"

	"github.com/timeout-auditor/timeout-auditor/agent/web/chart"
	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// chainPage is what chain.html shows.
type chainPage struct {
	page
	Document     report.ChainDocument
	Verdict      verdict
	Edge         float64       // seconds that the entry itself spends
	Overhead     float64       // seconds per attempt
	EdgeBar      template.HTML // "" without an edge
	NeededBar    template.HTML
	Hops         []hopRow
	Fits, Unsure bool // Unsure: with unknown hops it is only known that it might fit
}

// hopRow is one hop of the waterfall.
type hopRow struct {
	report.HopDocument
	Bar     template.HTML // "" where its p99 is not known
	Audited bool          // there is a page about it
}

func (s *site) chain(w http.ResponseWriter, r *http.Request) {
	name := nameOf(r)
	p := chainPage{page: s.page(name, "")}
	if p.Report == nil {
		s.notFound(w, "chain", name)
		return
	}
	c, ok := p.Report.FindChain(name)
	if !ok {
		s.notFound(w, "chain", name)
		return
	}
	p.fill(c)
	s.show(w, "chain.html", p)
}

func (p *chainPage) fill(c report.Chain) {
	p.Document, p.Verdict = c.Document(), chainVerdict(c.Findings, len(c.Unknown))
	p.Edge, p.Overhead = c.Chain.Edge.Seconds(), c.Chain.Overhead.Seconds()
	over, known := c.OverBudget()
	p.Fits, p.Unsure = !over, !over && !known
	deadline := c.Chain.Deadline.Seconds()
	spans := spansOf(c)
	end := deadline
	for _, span := range spans {
		end = max(end, span.from+span.long)
	}
	const margin = 1.06 // shows that what is needed goes on beyond the last hop
	bar := chart.Bar{Deadline: deadline, End: end * margin}
	if p.Edge > 0 {
		bar.Class, bar.Long = "edge", p.Edge
		bar.Text = chart.Text{ID: "edge", Title: "The entry itself", Description: figure.Seconds(p.Edge) + " of " + figure.Seconds(deadline)}
		p.EdgeBar = bar.SVG()
	}
	for i, span := range spans {
		hop := c.Hops[i]
		row := hopRow{HopDocument: p.Document.Hops[i], Audited: hop.Assessment != nil}
		if hop.P99 != nil {
			bar.From, bar.Long, bar.Class = span.from, span.long, "hop"
			if span.from+span.long > deadline {
				bar.Class = "hop late"
			}
			bar.Text = chart.Text{ID: fmt.Sprintf("hop-%d", i), Title: text(hop.Dependency), Description: describeSpan(span, deadline)}
			row.Bar = bar.SVG()
		}
		p.Hops = append(p.Hops, row)
	}
	bar.From, bar.Long, bar.Class = 0, c.Needed, "needed"
	if over {
		bar.Class = "needed late"
	}
	bar.Text = chart.Text{ID: "needed", Title: "Needed in all", Description: figure.Seconds(c.Needed) + " of " + figure.Seconds(deadline)}
	p.NeededBar = bar.SVG()
}

// timeSpan is when a hop is called and how long its p99 is, in seconds from the
// start of the chain.
type timeSpan struct{ from, long float64 }

// spansOf places the hops as they follow each other when each takes its p99
// once: nested calls begin with their caller, and hops behind an unknown one
// where that one begins.
func spansOf(c report.Chain) []timeSpan {
	spans := make([]timeSpan, len(c.Hops))
	var begun []float64 // by depth
	for i, hop := range c.Hops {
		from := placeOf(hop, begun, c)
		begun = append(begun[:min(hop.Depth, len(begun))], from)
		spans[i].from = from
		if hop.P99 != nil {
			spans[i].long = *hop.P99
		}
	}
	return spans
}

func placeOf(hop audit.HopAssessment, begun []float64, c report.Chain) float64 {
	switch {
	case hop.Remaining != nil:
		return c.Chain.Deadline.Seconds() - *hop.Remaining
	case hop.Depth > 0 && hop.Depth <= len(begun):
		return begun[hop.Depth-1]
	case len(begun) > 0:
		return begun[0]
	}
	return c.Chain.Edge.Seconds()
}

func describeSpan(s timeSpan, deadline float64) string {
	return fmt.Sprintf("from %s to %s of %s", figure.Seconds(s.from), figure.Seconds(s.from+s.long), figure.Seconds(deadline))
}
