package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent/web/chart"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// HistoryQuestion asks how a dependency's figures went.
type HistoryQuestion struct {
	Dependency string
	Start, End time.Time
	Step       time.Duration
}

// History is what the metrics server has of the figures that the auditor
// exported. Times are seconds, ratios 0 to 1; what it does not have is empty.
type History struct {
	P99, Timeout        []chart.Sample
	Ratio, Lower, Upper []chart.Sample // false-timeout ratio and its bracket
	Query               latency.Query
}

// patience is how long a page waits for another server before it says that it
// did.
const patience = 3 * time.Second

// historySpan is a length of history that a page offers.
type historySpan struct {
	Name string
	Long time.Duration
}

func historySpans() []historySpan {
	return []historySpan{{"1h", time.Hour}, {"6h", 6 * time.Hour}, {"1d", 24 * time.Hour}, {"1w", 7 * 24 * time.Hour}}
}

// historyView is the history as drawings, or why there is none.
type historyView struct {
	Span       string
	Spans      []historySpan
	Address    func(span string) string // of the same page with another span
	P99, Ratio template.HTML
	Missing    string // why there is no drawing; empty: there is one
	Link       string // to the metrics server's page for the same query
}

// asking is an answer that is waited for.
type asking[T any] struct {
	answer chan T
}

// ask starts work that ends with the context or after a while.
func ask[T any](ctx context.Context, most time.Duration, work func(ctx context.Context) T) asking[T] {
	a := asking[T]{make(chan T, 1)}
	go func() {
		bounded, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		a.answer <- work(bounded)
	}()
	return a
}

// historyOf asks for a dependency's history and draws it. Nil: there is none to
// ask for.
func (s *site) historyOf(ctx context.Context, name string, v url.Values) *historyView {
	if s.History == nil {
		return nil
	}
	view := &historyView{Spans: historySpans(), Address: func(span string) string { return spanAddress(v, span) }}
	span := view.Spans[1]
	for _, offered := range view.Spans {
		if offered.Name == v.Get("history") {
			span = offered
		}
	}
	view.Span = span.Name
	const samples = 240 // about one for three pixels
	end := s.Now().Truncate(time.Second)
	q := HistoryQuestion{Dependency: name, Start: end.Add(-span.Long), End: end, Step: span.Long / samples}
	h, err := s.History(ctx, q)
	view.Link = prometheus(s.prometheusURL(), h.Query, end)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		view.Missing = fmt.Sprintf("Prometheus did not answer within %s.", patience)
	case err != nil:
		view.Missing = "Prometheus did not answer: " + err.Error()
	case len(h.P99)+len(h.Ratio) == 0:
		view.Missing = "Prometheus has no figures of this dependency in that time. Does it scrape the auditor?"
	default:
		view.draw(h, q)
	}
	return view
}

func (view *historyView) draw(h History, q HistoryQuestion) {
	series := chart.Series{Start: q.Start, End: q.End, Step: q.Step, Format: figure.Seconds}
	series.Text = chart.Text{ID: "history-p99", Title: "p99 and timeout over time", Description: "p99: " + extremes(h.P99, figure.Seconds) + ". Timeout: " + extremes(h.Timeout, figure.Seconds) + "."}
	series.Lines = []chart.Line{{Class: "timeout", Samples: h.Timeout}, {Class: "p99", Samples: h.P99}}
	view.P99 = series.SVG()
	series.Format = figure.Ratio
	series.Text = chart.Text{ID: "history-ratio", Title: "False-timeout ratio over time", Description: "The predicted ratio: " + extremes(h.Ratio, figure.Ratio) + "."}
	series.Lines = []chart.Line{{Class: "ratio", Samples: h.Ratio}}
	series.Band = &chart.Band{Lower: h.Lower, Upper: h.Upper}
	view.Ratio = series.SVG()
}

// extremes says between what values samples lie.
func extremes(samples []chart.Sample, write func(float64) string) string {
	if len(samples) == 0 {
		return "unknown"
	}
	low, high := samples[0].Value, samples[0].Value
	for _, sample := range samples {
		low, high = min(low, sample.Value), max(high, sample.Value)
	}
	if low == high {
		return write(low) + " throughout"
	}
	return write(low) + " to " + write(high)
}

// spanAddress is the page itself with another span, and the what-if kept.
func spanAddress(v url.Values, span string) string {
	next := url.Values{}
	for name, values := range v {
		next[name] = values
	}
	next.Set("history", span)
	return "?" + next.Encode() + "#history"
}

func (s *site) prometheusURL() string {
	if s.PrometheusURL == nil {
		return ""
	}
	return s.PrometheusURL()
}
