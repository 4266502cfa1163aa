package promquery

import (
	"slices"
	"sync"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// subject is one dependency while it is asked about. It asks in rounds: the
// answers to one say what to ask in the next.
type subject struct {
	dep    *config.Dependency
	target *target
	o      latency.Observation
	err    *Error
	own    []asked

	// next gives the questions of the next round; readers set it. Nil: no more.
	next func() []question

	// surveyed ends the rounds once it is known what there is to read.
	surveyOnly bool
	survey     survey
	series     int // of a summary

	concluded func(Result) // called after the last round; nil: nobody waits

	reading   sync.Mutex // answers to one round come from several goroutines
	questions []question
	errs      []*Error
	notes     [][]string
	missing   int // answers
}

// usualQueries is how many there are of a dependency, most often.
const usualQueries = 4

// advance opens the next round that has a question, and reports whether there is
// one. After the last the subject is done.
func (s *subject) advance() bool {
	for s.next != nil {
		next := s.next
		s.next = nil
		s.questions = next()
		s.missing = len(s.questions)
		s.errs, s.notes = make([]*Error, len(s.questions)), make([][]string, len(s.questions))
		s.o.Queries = slices.Grow(s.o.Queries, max(0, usualQueries-len(s.o.Queries)))
		for _, q := range s.questions {
			s.o.Queries = append(s.o.Queries, q.query)
		}
		if s.missing > 0 {
			return true
		}
	}
	s.done()
	return false
}

// take reads the answer to question i of the round. The last answer closes it,
// and where no further round follows the subject is done there and then: what it
// was answered is held no longer than that of others.
func (s *subject) take(i int, a answered) {
	s.reading.Lock()
	defer s.reading.Unlock()
	s.read(i, a)
	if s.missing--; s.missing > 0 {
		return
	}
	s.end()
	if s.next == nil {
		s.done()
	}
}

func (s *subject) read(i int, a answered) {
	q := s.questions[i]
	if a.err != nil {
		own := *a.err // others may have been given the same one
		own.Query = q.query
		a.err = &own
	}
	if a.err != nil && a.err.Kind == KindBadQuery && q.refused != nil {
		s.next = q.refused
		return
	}
	before := s.o.Notes
	s.o.Notes = nil
	s.errs[i] = about(q.query, a.into(&s.o, q.read))
	s.notes[i], s.o.Notes = s.o.Notes, before
}

// end closes a round: what was noted and what failed is in the order of the
// questions, whichever answer came first.
func (s *subject) end() {
	for i := range s.questions {
		s.o.Notes = append(s.o.Notes, s.notes[i]...)
		if s.err == nil {
			s.err = s.errs[i]
		}
	}
	s.questions, s.errs, s.notes = nil, nil, nil
}

// done concludes after the last round.
func (s *subject) done() {
	if s.err == nil && !s.surveyOnly {
		s.err = inOrder(&s.o)
	}
	s.o.Notes = distinct(s.o.Notes)
	if s.concluded != nil {
		s.concluded(s.result())
		s.o = latency.Observation{}
	}
}

func (s *subject) result() Result {
	r := Result{Observation: s.o}
	if s.err != nil {
		r.Err = s.err
	}
	return r
}

func (c *Client) subject(dep *config.Dependency, at time.Time) *subject {
	s := &subject{dep: dep, target: c.plan.target(dep), o: latency.Observation{At: at, Window: dep.Window}}
	s.own, s.err = c.plan.configured(dep)
	switch {
	case s.err != nil:
	case len(dep.Latency.Quantiles) > 0:
		s.o.QuantilesOnly = true // they are among the configured expressions
		s.next = s.askOwn
	case dep.Latency.Kind == summary:
		s.o.QuantilesOnly = true
		s.next = s.askSummary
	default:
		s.next = func() []question { return s.askScrapes(dep.Latency.Kind) }
	}
	return s
}

// askOwn asks the configured expressions.
func (s *subject) askOwn() []question {
	var questions []question
	for _, a := range s.own {
		questions = append(questions, question{query: a.query, read: a.read, group: a.group, cost: singleValue()})
	}
	return append(questions, ofTheWindowBefore(s.own, s.o.At.Add(-s.dep.Window))...)
}

// singleValue is the cost of an answer of one element.
func singleValue() cost { return cost{bytes: 200} }

// distinct drops empty notes and repetitions.
func distinct(notes []string) []string {
	var kept []string
	for _, n := range notes {
		if n != "" && !slices.Contains(kept, n) {
			kept = append(kept, n)
		}
	}
	return kept
}
