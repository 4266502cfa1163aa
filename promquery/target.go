package promquery

import (
	"strings"
	"sync"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// target is one histogram or summary that is asked about in every cycle, with
// the words of its queries, since printing PromQL costs more than reading the
// answer.
type target struct {
	latency   config.Latency
	selection selection
	shape     string
	sizes     *sizes

	mu    sync.Mutex
	words map[wording]worded
}

// worded is a query in words, and what it has in common with others.
type worded struct{ text, key string }

// wording is what one target's queries differ in.
type wording struct {
	purpose string
	kind    string
	form    form
	over    time.Duration
	les     string // the buckets that are asked for, each with tupleEnd
}

func newTarget(l config.Latency, s *sizes) *target {
	t := &target{latency: l, sizes: s, words: map[wording]worded{}}
	t.selection = selectionOf(l.Matchers, l.ReplicaLabel)
	t.shape = strings.Join([]string{l.Histogram, l.ReplicaLabel, t.selection.shape()}, tupleEnd)
	return t
}

// ask words a question about the target. build gives its expression on the
// target's matchers or on others in their place.
func (t *target) ask(w wording, build func(config.Latency) parser.Expr) question {
	return t.askBuckets(w, nil, func(l config.Latency, _ []string) parser.Expr { return build(l) })
}

// askBuckets is ask for some buckets alone.
func (t *target) askBuckets(w wording, les []string, build func(config.Latency, []string) parser.Expr) question {
	w.les = strings.Join(les, tupleEnd)
	on := func(matchers []*labels.Matcher, les []string) parser.Expr {
		l := t.latency
		l.Matchers = matchers
		return build(l, les)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	words, known := t.words[w]
	if !known {
		words = worded{
			text: on(t.latency.Matchers, les).String(),
			key:  strings.Join([]string{w.purpose, w.kind, string(w.form), w.over.String(), t.shape}, tupleEnd),
		}
		t.words[w] = words
	}
	return question{
		query: latency.Query{Purpose: w.purpose, PromQL: words.text},
		group: grouping{
			key:       words.key,
			selection: t.selection,
			les:       les,
			build:     on,
		},
	}
}

func (t *target) expected() extent { return t.sizes.of(t.shape) }

func (t *target) remember(s survey) { t.sizes.note(t.shape, s.extent()) }
