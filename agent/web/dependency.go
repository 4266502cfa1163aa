package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// dependencyPage is what dependency.html shows.
type dependencyPage struct {
	page
	Row       report.Row
	Document  report.DependencyDocument
	Figures   *report.FiguresDocument // nil: nothing is known, or no longer
	Verdict   verdict
	Survival  *survivalView // nil: no bucket was counted
	Tradeoffs []tradeoffRow
	WhatIf    *whatIfView // nil: there is nothing to ask about
	InQuery   bool        // the name is a parameter and not in the path
	Policy    []policyRow
}

// tradeoffRow is one timeout of the trade-off table.
type tradeoffRow struct {
	report.TradeoffDocument
	Path string // in the report's JSON
	What string
	Now  bool
}

// Key is where the report's JSON has a field of the row.
func (t tradeoffRow) Key(field string) string {
	if !t.Now {
		return t.Path + "." + field
	}
	return map[string]string{
		"timeout_seconds": "figures.limit_seconds", "false_timeout_ratio": "figures.false_timeout.ratio",
		"fallback_ratio": "figures.fallback.ratio", "amplification_ratio": "figures.amplification.ratio",
		"expected_call_duration_seconds": "figures.expected_call_duration_seconds",
	}[field]
}

// dependencyRest is what dependency_rest.html shows below it: what has to be
// waited for, and all behind it.
type dependencyRest struct {
	page
	Document report.DependencyDocument
	History  *historyView
	Backtest *backtestView
	Queries  []queryLink
	Explain  string
}

// queryLink is a query that was sent.
type queryLink struct {
	report.QueryDocument
	Link string // "": there is no server to link to
}

// dependency shows what is known at once, and only then waits for the history.
func (s *site) dependency(w http.ResponseWriter, r *http.Request) {
	name := nameOf(r)
	p := dependencyPage{page: s.page(name, ""), InQuery: r.PathValue("name") == ""}
	if p.Report == nil {
		s.notFound(w, "dependency", name)
		return
	}
	d, ok := p.Report.Find(name)
	if !ok {
		s.notFound(w, "dependency", name)
		return
	}
	query := r.URL.Query()
	history := ask(r.Context(), patience, func(ctx context.Context) *historyView { return s.historyOf(ctx, name, query) })
	backtest := ask(r.Context(), longPatience, func(ctx context.Context) *backtestView { return s.backtestOf(ctx, name, query) })
	p.fill(d)
	if figures := p.Report.Figures(d, p.Report.At); figures != nil {
		p.Survival, p.WhatIf = survivalOf(figures), s.whatIfOf(figures, query)
	}
	if !s.show(w, "dependency.html", p) {
		return
	}
	if err := http.NewResponseController(w).Flush(); err != nil {
		s.Logger.Debug("Page not sent at once", "err", err)
	}
	rest := dependencyRest{page: p.page, Document: p.Document, Queries: s.queriesOf(d), Explain: explained(p.Report, name)}
	rest.History, rest.Backtest = <-history.answer, <-backtest.answer
	var out bytes.Buffer
	if err := s.templates.ExecuteTemplate(&out, "dependency_rest.html", rest); err != nil {
		s.Logger.Error("Page not shown to its end", "page", "dependency", "err", err)
		return
	}
	s.send(w, out.Bytes())
}

func (p *dependencyPage) fill(d report.Dependency) {
	p.Row, p.Document, p.Verdict = p.Report.RowOf(d), p.Report.DocumentOf(d), verdictOf(d.Findings, d.Status)
	p.Figures = p.Document.Figures
	p.Policy = policyOf(d.Assessment)
	if p.Figures != nil {
		p.Tradeoffs = tradeoffsOf(p.Figures)
	}
}

// tradeoffsOf puts the timeout in force, the recommended step and those of the
// curve into one table, shortest first.
func tradeoffsOf(f *report.FiguresDocument) []tradeoffRow {
	var rows []tradeoffRow
	if f.LimitSeconds != nil && f.FalseTimeout != nil {
		now := report.TradeoffDocument{TimeoutSeconds: *f.LimitSeconds, FalseTimeoutRatio: f.FalseTimeout.Ratio, CallDurationSeconds: f.CallDurationSeconds}
		if f.Fallback != nil {
			now.FallbackRatio = &f.Fallback.Ratio
		}
		if f.Amplification != nil {
			now.AmplificationRatio = &f.Amplification.Ratio
		}
		rows = append(rows, tradeoffRow{now, "", "in force now", true})
	}
	if r := f.Recommendation; r != nil && r.Then != nil {
		rows = append(rows, tradeoffRow{*r.Then, "figures.recommendation.then", "next step to set", false})
	}
	for i, t := range f.Tradeoffs {
		rows = append(rows, tradeoffRow{t, fmt.Sprintf("figures.tradeoffs.%d", i), "", false})
	}
	slices.SortStableFunc(rows, func(a, b tradeoffRow) int {
		switch {
		case a.TimeoutSeconds < b.TimeoutSeconds:
			return -1
		case a.TimeoutSeconds > b.TimeoutSeconds:
			return 1
		}
		return 0
	})
	return rows
}

func (s *site) queriesOf(d report.Dependency) []queryLink {
	links := make([]queryLink, 0, len(d.Queries))
	for _, q := range d.Queries {
		links = append(links, queryLink{
			report.QueryDocument{Purpose: q.Purpose, PromQL: q.Text(), Start: q.Start, End: q.End, StepSeconds: q.Step.Seconds()},
			prometheus(s.prometheusURL(), q, d.At),
		})
	}
	return links
}

func explained(r *report.Report, name string) string {
	var text strings.Builder
	if err := r.Explain(&text, name); err != nil {
		return err.Error()
	}
	return text.String()
}

// Headline says what is wrong, or that nothing is, or that nobody knows. What is
// found in the policy alone does not stand above what is not known.
func (p dependencyPage) Headline() string {
	if found := p.Document.Findings; len(found) > 0 && p.Verdict == verdict(found[0].Severity) {
		return found[0].Message + "."
	}
	return p.Verdict.Sentence()
}

// UnknownPerDay is how many attempts a day end without anybody knowing whether
// they were applied.
func (p dependencyPage) UnknownPerDay() *float64 {
	if p.Figures == nil || p.Figures.UnknownOutcomesPerSecond == nil {
		return nil
	}
	daily := *p.Figures.UnknownOutcomesPerSecond * secondsPerDay
	return &daily
}

// ExtraPerDay is how many attempts a day are retries.
func (p dependencyPage) ExtraPerDay() *float64 {
	f := p.Figures
	if f == nil || f.CallsPerSecond == nil || f.Amplification == nil {
		return nil
	}
	daily := (f.Amplification.Ratio - 1) * *f.CallsPerSecond * secondsPerDay
	return &daily
}

// Known reports whether this cycle observed the dependency.
func (p dependencyPage) Known() bool { return p.Document.Status.Known() }

// Window is the window in words.
func (p dependencyPage) Window() string {
	if p.Figures == nil || p.Figures.WindowSeconds == nil {
		return ""
	}
	return figure.Seconds(*p.Figures.WindowSeconds)
}
