package promquery

import (
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// target is one histogram or summary that is asked about in every cycle.
type target struct {
	latency   config.Latency
	selection selection
	shape     shape
	sizes     *sizes
}

// shape is what targets have in common that are asked about together.
type shape struct{ histogram, replicaLabel, selection string }

func newTarget(l config.Latency, s *sizes) *target {
	t := &target{latency: l, sizes: s, selection: selectionOf(l.Matchers, l.ReplicaLabel)}
	t.shape = shape{l.Histogram, l.ReplicaLabel, t.selection.shape()}
	return t
}

// wording is what one target's queries differ in.
type wording struct {
	purpose string
	kind    string // of the survey alone
	form    form
	over    time.Duration
}

// of is the query about a histogram or summary; les are the buckets that are
// asked for where not all are.
func (w wording) of(l config.Latency, les []string) parser.Expr {
	switch w.purpose {
	case purposeScrapes:
		l.Kind = w.kind
		return scrapesQuery(l, w.over)
	case purposeBuckets:
		return bucketsQuery(w.form, l, w.over)
	case purposeParts:
		return partsQuery(w.form, l, les, w.over)
	case purposeQuantiles:
		return quantilesQuery(w.form, l, w.over)
	case purposeReplicas:
		return replicasQuery(w.form, l, w.over)
	case purposeSummary:
		return summaryQuery(l)
	case purposeNames:
		return namesExpr(l, w.over)
	}
	panic("no query for " + w.purpose)
}

// worded is a query about a target. Its words are made when they are asked for,
// since printing PromQL costs more than reading the answer.
type worded struct {
	wording
	target *target
	les    []string
}

func (w *worded) String() string { return inWords(w.of(w.target.latency, w.les)) }

// on is the query with matchers in place of the target's own, and other buckets.
func (w *worded) on(matchers []*labels.Matcher, les []string) parser.Expr {
	l := w.target.latency
	l.Matchers = matchers
	return w.of(l, les)
}

// query is the question as a person asks it.
func (t *target) query(w wording, les ...string) latency.Query {
	return latency.Query{Purpose: w.purpose, PromQL: &worded{wording: w, target: t, les: les}}
}

// ask words a question about the target.
func (t *target) ask(w wording, les ...string) question {
	words := &worded{wording: w, target: t, les: les}
	return question{
		query: latency.Query{Purpose: w.purpose, PromQL: words},
		group: grouping{
			alike:     alike{wording: w, shape: t.shape},
			selection: t.selection,
			les:       les,
			build:     words,
		},
	}
}

func (t *target) expected() extent { return t.sizes.of(t.shape) }

func (t *target) remember(s survey) { t.sizes.note(t.shape, s.extent()) }
