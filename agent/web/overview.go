package web

import (
	"net/http"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// rowsPerPage keeps a page quick to make and to read with ten thousand rows.
const rowsPerPage = 100

// mostNames bounds how many owners or callers a page offers to choose from.
const mostNames = 200

// overviewPage is what overview.html shows.
type overviewPage struct {
	page
	Filter          filter
	Total, Matching int
	First, Last     int // rows shown, from 1
	Pages           int
	Counts          []count
	Columns         []column
	Rows            []overviewRow
	Chains          []chainRow
	Owners, Callers []string
	Verdicts        []verdict
	Statuses        []latency.Status
}

// column is a heading of the table, with the order that it sorts by.
type column struct{ Order, Name string }

// overviewRow is one dependency.
type overviewRow struct {
	report.Row
	Verdict  verdict
	Document report.DependencyDocument
}

// chainRow is one chain.
type chainRow struct {
	Verdict  verdict
	Document report.ChainDocument
}

func (s *site) overview(w http.ResponseWriter, r *http.Request) {
	p := overviewPage{
		page: s.page("Timeouts", "overview"), Filter: filterFrom(r.URL.Query()),
		Verdicts: verdicts(), Statuses: latency.Statuses(),
		Columns: []column{
			{"name", "Dependency"}, {"", "Verdict"}, {"timeout-p99", "Timeout ÷ p99"}, {"false-timeouts", "False timeouts"},
			{"fallbacks", "Fallbacks a day"}, {"amplification", "Attempts per call"}, {"-", "Recommended"}, {"status", "Data"}, {"-", "Audited"},
		},
	}
	if p.Report != nil {
		p.fill(s.indexed(p.Report))
	}
	s.show(w, "overview.html", p)
}

func (p *overviewPage) fill(x *index) {
	found := x.matching(p.Filter)
	p.Total, p.Matching, p.Counts = len(x.entries), len(found), x.counts
	p.Owners, p.Callers = x.owners[:min(mostNames, len(x.owners))], x.callers[:min(mostNames, len(x.callers))]
	p.Pages = max(1, (len(found)+rowsPerPage-1)/rowsPerPage)
	p.Filter.Page = min(p.Filter.Page, p.Pages)
	from := (p.Filter.Page - 1) * rowsPerPage
	to := min(from+rowsPerPage, len(found))
	p.First, p.Last = min(from+1, to), to
	for _, e := range found[from:to] {
		d := p.Report.Dependencies[e.place]
		p.Rows = append(p.Rows, overviewRow{Row: p.Report.RowOf(d), Verdict: e.verdict, Document: p.Report.DocumentOf(d)})
	}
	p.Chains = p.chains()
}

// chains are those that the filter lets through, worst first.
func (p *overviewPage) chains() []chainRow {
	var rows []chainRow
	for _, c := range p.Report.Chains {
		e := entry{name: c.Chain.Name, owner: c.Chain.Owner, caller: c.Chain.Caller, verdict: chainVerdict(c.Findings, len(c.Unknown))}
		if p.Filter.Status == "" && p.Filter.matches(e) {
			rows = append(rows, chainRow{e.verdict, c.Document()})
		}
	}
	rank := func(r chainRow) int { return slices.Index(verdicts(), r.Verdict) }
	slices.SortStableFunc(rows, func(a, b chainRow) int { return rank(a) - rank(b) })
	return rows
}
