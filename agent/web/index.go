package web

import (
	"cmp"
	"slices"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/report"
)

// index is what the overview needs of a report to filter, sort and count
// without a look at every dependency's figures. It is made once per report.
type index struct {
	report  *report.Report
	entries []entry // worst first
	counts  []count
	owners  []string // those that are set, ascending
	callers []string
}

// entry is one dependency.
type entry struct {
	place         int // in report.Dependencies
	name          string
	owner, caller string
	verdict       verdict
	status        string
	figures       figures
}

// figures are what can be sorted by; nil is not known.
type figures struct {
	timeoutP99, falseTimeouts, perDay, amplification *float64
}

// count is how many dependencies have a verdict.
type count struct {
	Verdict verdict
	N       int
}

// indexed returns the index of a report.
func (s *site) indexed(r *report.Report) *index {
	if made := s.index.Load(); made != nil && made.report == r {
		return made
	}
	made := newIndex(r)
	s.index.Store(made)
	return made
}

func newIndex(r *report.Report) *index {
	x := &index{report: r}
	byVerdict, owners, callers := map[verdict]int{}, map[string]bool{}, map[string]bool{}
	for _, place := range r.Urgency() {
		d := &r.Dependencies[place]
		e := entry{
			place: place, name: d.Dependency.Name, owner: d.Dependency.Owner, caller: d.Dependency.Caller,
			verdict: verdictOf(d.Findings, d.Status), status: string(d.Status), figures: figuresOf(r, d),
		}
		byVerdict[e.verdict]++
		owners[e.owner], callers[e.caller] = true, true
		x.entries = append(x.entries, e)
	}
	for _, v := range verdicts() {
		if n := byVerdict[v]; n > 0 {
			x.counts = append(x.counts, count{v, n})
		}
	}
	x.owners, x.callers = names(owners), names(callers)
	return x
}

func figuresOf(r *report.Report, d *report.Dependency) figures {
	a := r.Figures(*d, r.At)
	if a == nil {
		return figures{}
	}
	f := figures{timeoutP99: a.TimeoutP99Ratio}
	if a.FalseTimeout != nil {
		f.falseTimeouts = &a.FalseTimeout.Point
	}
	if a.Fallback != nil {
		f.perDay = a.Fallback.PerDay
	}
	if a.Amplification != nil {
		f.amplification = &a.Amplification.Point
	}
	return f
}

// names are those that can be offered as they are, ascending.
func names(set map[string]bool) []string {
	all := make([]string, 0, len(set))
	for name := range set {
		if name != "" && name == text(name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// matching returns the entries that a filter lets through, in its order.
func (x *index) matching(f filter) []entry {
	var found []entry
	for _, e := range x.entries {
		if f.matches(e) {
			found = append(found, e)
		}
	}
	if order := sortOrders()[f.Sort]; order != nil {
		slices.SortStableFunc(found, order)
	}
	return found
}

func (f filter) matches(e entry) bool {
	return (f.Owner == "" || f.Owner == e.owner) &&
		(f.Caller == "" || f.Caller == e.caller) &&
		(f.Verdict == "" || f.Verdict == string(e.verdict)) &&
		(f.Status == "" || f.Status == e.status) &&
		(f.Search == "" || strings.Contains(strings.ToLower(e.name), strings.ToLower(f.Search)))
}

// sortOrders holds the orders by their names in addresses. The order of the
// index itself, worst first, has none.
func sortOrders() map[string]func(a, b entry) int {
	byText := func(of func(entry) string) func(a, b entry) int {
		return func(a, b entry) int { return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(a.name, b.name)) }
	}
	byFigure := func(sign int, of func(figures) *float64) func(a, b entry) int {
		return func(a, b entry) int { return compareKnown(sign, of(a.figures), of(b.figures)) }
	}
	return map[string]func(a, b entry) int{
		"name":           byText(func(e entry) string { return e.name }),
		"owner":          byText(func(e entry) string { return e.owner }),
		"caller":         byText(func(e entry) string { return e.caller }),
		"status":         byText(func(e entry) string { return e.status }),
		"timeout-p99":    byFigure(1, func(f figures) *float64 { return f.timeoutP99 }),
		"false-timeouts": byFigure(-1, func(f figures) *float64 { return f.falseTimeouts }),
		"fallbacks":      byFigure(-1, func(f figures) *float64 { return f.perDay }),
		"amplification":  byFigure(-1, func(f figures) *float64 { return f.amplification }),
	}
}

// compareKnown puts the worst first and what is not known last: whoever sorts
// by a figure looks for those that have one.
func compareKnown(sign int, a, b *float64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return sign * cmp.Compare(*a, *b)
}
