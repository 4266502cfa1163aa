package promquery

import (
	"context"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// HistoryOptions say which stretch of the past is asked for: Steps windows of
// length Step, one after another, the last one up to End.
type HistoryOptions struct {
	End   time.Time
	Step  time.Duration
	Steps int

	// MaxSamples bounds how many stored samples the server has to read for one
	// dependency; 0: no bound. What would need more is refused after one query.
	MaxSamples float64

	// Progress is called each time that some more steps of a dependency are
	// done, with how many. It may be nil, and is called from several goroutines.
	Progress func(steps int)
}

// History asks for a dependency's past and returns one result for each step,
// oldest first, each as Observe would have returned it for a window of that
// length, but for the server's quantiles, the replicas and the error ratio, and
// with all bounds in every part in place of the window as a whole. A step that
// failed or has no data fails alone.
//
// It sends few and bounded queries: one for the scrapes and the layout of every
// step, then one for the counts of as many steps as a reply of a few MB holds.
// What the server refuses as too much is asked again in halves.
func (c *Client) History(ctx context.Context, dep config.Dependency, o HistoryOptions) []Result {
	h := c.newPast(dep, o)
	_ = h.fill(ctx) // the steps say what failed
	return h.results()
}

// Histories asks for the past of several dependencies, as many at once as
// queries may be, and hands on each as soon as it is whole: all of them together
// may not fit into memory. each is called from several goroutines. Where no
// connection comes about at all, the rest is not asked.
func (c *Client) Histories(ctx context.Context, deps []config.Dependency, o HistoryOptions, each func(i int, steps []Result)) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	b := &blackout{stop: stop}
	c.each(len(deps), func(i int) {
		h := c.newPast(deps[i], o)
		b.saw(h.fill(ctx))
		each(i, h.results())
	})
}

// lead is how many steps are asked for in front of those that were ordered.
const lead = 1

// past collects the past of one dependency. Its steps are one more than was
// asked for: the first one only is the window before the second.
type past struct {
	client  *Client
	dep     config.Dependency
	options HistoryOptions
	steps   []step

	parts int           // in which each step is asked for; 0: no step has data
	limit int           // moments for each series that the server let through; 0: not found out
	query latency.Query // of the scrapes

	timeouts int // queries for which the server ran out of time
}

// step is one window of the past.
type step struct {
	at       time.Time
	survey   survey
	window   latency.Window
	observed latency.Counters
	query    latency.Query // of the counts
	notes    []string
	err      *Error
}

func (c *Client) newPast(dep config.Dependency, o HistoryOptions) *past {
	o.End, o.Step = o.End.Truncate(time.Millisecond), o.Step.Truncate(time.Millisecond)
	h := &past{client: c, dep: dep, options: o, steps: make([]step, max(o.Steps, 0)+lead)}
	h.dep.Window = o.Step // what $window stands for
	for i := range h.steps {
		h.steps[i].at = h.moments(1).time(i)
	}
	return h
}

// moments is the grid of all steps in k parts each.
func (h *past) moments(k int) grid {
	return grid{end: h.options.End, step: h.options.Step / time.Duration(k), n: len(h.steps) * k}
}

// fill asks everything. The error is that of the last query for scrapes or counts
// where it was not answered.
func (h *past) fill(ctx context.Context) *Error {
	err := h.surveys(ctx)
	if h.parts == 0 {
		h.progress(h.options.Steps)
		return err
	}
	h.counters(ctx)
	for from := 0; from < len(h.steps); {
		to := h.run(from)
		if h.steps[from].err == nil {
			err = h.counts(ctx, from, to)
		}
		h.progress(to - max(from, lead))
		from = to
	}
	return err
}

func (h *past) progress(steps int) {
	if h.options.Progress != nil && steps > 0 {
		h.options.Progress(steps)
	}
}

// run returns the end of the steps from the given one on that one query can ask
// for: in the same form, none of them known to be unusable, and no more than a
// reply should hold. A step that is unusable is a run of its own.
func (h *past) run(from int) int {
	first := h.steps[from]
	if first.err != nil {
		return from + 1
	}
	to := from + 1
	for most := h.most(first.survey); to < len(h.steps) && to-from < most; to++ {
		if h.steps[to].err != nil || h.steps[to].survey.form != first.survey.form {
			break
		}
	}
	return to
}

// results are the steps asked for as observations, each with the one before it.
func (h *past) results() []Result {
	results := make([]Result, len(h.steps)-lead)
	for i := range results {
		before, s := h.steps[i], h.steps[i+lead]
		o := latency.Observation{
			At: s.at, Window: h.options.Step, Now: s.window, Observed: s.observed,
			Queries: []latency.Query{h.query}, Notes: distinct(s.notes),
		}
		if s.query.PromQL != nil {
			o.Queries = append(o.Queries, s.query)
		}
		if before.err == nil {
			o.Before, o.ObservedBefore = before.window, before.observed
		}
		results[i].Observation = o
		if s.err != nil {
			results[i].Err = s.err
		}
	}
	return results
}
