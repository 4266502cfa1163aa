package promquery

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// converse asks subjects until none has a question left. Those that begin with
// a question of one group go through their rounds together, as many at once as
// the limits allow; the others neither wait for them nor make them wait.
func (c *Client) converse(ctx context.Context, subjects []*subject) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := &wire{client: c, blackout: &blackout{stop: stop}}
	parties := w.parties(subjects)
	c.each(len(parties), func(i int) {
		w.rounds(ctx, parties[i])
		for _, s := range parties[i] {
			s.done()
		}
		parties[i] = nil // what was read is not needed any more
	})
}

// parties puts together who is asked about together from the first round to the
// last. What a party was answered is done with before all others are.
func (w *wire) parties(subjects []*subject) [][]*subject {
	families := map[groupKey][]*subject{}
	var order []groupKey
	for i, s := range subjects {
		var key groupKey
		if s.next != nil {
			s.begin()
			if len(s.questions) > 0 {
				key = s.questions[0].key(s)
			}
		}
		if _, seen := families[key]; !seen {
			order = append(order, key)
		}
		families[key] = append(families[key], s)
		subjects[i] = nil
	}
	var parties [][]*subject
	for _, key := range order {
		parties = append(parties, w.divided(families[key])...)
	}
	return parties
}

// divided makes parties of a family. Its members are in the order of their
// values, as in chunks, so that a party asks one query in each round.
func (w *wire) divided(family []*subject) [][]*subject {
	alike := map[string][]*subject{} // who asks about the very same
	var tuples []string
	for _, s := range family {
		tuple := ""
		if len(s.questions) > 0 {
			tuple = s.questions[0].group.tuple()
		}
		if alike[tuple] == nil {
			tuples = append(tuples, tuple)
		}
		alike[tuple] = append(alike[tuple], s)
	}
	slices.Sort(tuples)
	questions := make([]question, len(tuples))
	for i, tuple := range tuples {
		if s := alike[tuple][0]; len(s.questions) > 0 {
			questions[i] = s.questions[0]
		}
	}
	var parties [][]*subject
	for _, n := range w.client.plan.limits.divide(questions, w.client.sender.party(len(questions)), w.client.sender) {
		var party []*subject
		for _, tuple := range tuples[:n] {
			party = append(party, alike[tuple]...)
		}
		parties, tuples = append(parties, party), tuples[n:]
	}
	return parties
}

// rounds asks subjects that have begun one round until all are through.
func (w *wire) rounds(ctx context.Context, open []*subject) {
	for len(open) > 0 {
		chunks := w.chunks(open)
		w.client.each(len(chunks), func(i int) { w.send(ctx, chunks[i]) })
		var further []*subject
		for _, s := range open {
			s.end()
			if s.next != nil {
				s.begin()
				further = append(further, s)
			}
		}
		open = further
	}
}

// groupKey tells groups apart: what is asked, and for which time.
type groupKey struct {
	alike
	alone          string // the words of what is asked alone
	at, start, end int64
	step           time.Duration
}

func (q question) key(s *subject) groupKey {
	key := groupKey{alike: q.group.alike, at: stamp(s.o.At), start: stamp(q.query.Start), end: stamp(q.query.End), step: q.query.Step}
	if key.alike == (alike{}) {
		key.alone = q.query.Text()
	}
	return key
}

func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// chunk is one query: members that differ in their values alone.
type chunk struct {
	key     groupKey
	at      time.Time
	members []*member
}

// member is one tuple of values and all who ask about it.
type member struct {
	tuple    string
	question question // the first; others differ in the buckets alone
	les      []string // of all
	mixed    bool     // whether they do differ
	askers   []asker
}

// want adds buckets to those that are asked for.
func (m *member) want(les []string) {
	if len(m.askers) > 1 && !slices.Equal(m.question.group.les, les) {
		m.mixed = true
	}
	for _, le := range les {
		if !slices.Contains(m.les, le) {
			m.les = append(m.les, le)
		}
	}
}

type asker struct {
	subject *subject
	i       int // of its questions
}

// deliver hands an answer to all who asked.
func (m *member) deliver(a answered) {
	for _, asker := range m.askers {
		asker.subject.take(asker.i, a)
	}
}

// chunks gathers the questions of a round into as few queries as the limits
// allow.
func (w *wire) chunks(open []*subject) []chunk {
	groups := map[groupKey]map[string]*member{}
	var order []groupKey
	for _, s := range open {
		for i, q := range s.questions {
			key := q.key(s)
			members := groups[key]
			if members == nil {
				members = map[string]*member{}
				groups[key] = members
				order = append(order, key)
			}
			tuple := q.group.tuple()
			m := members[tuple]
			if m == nil {
				m = &member{tuple: tuple, question: q}
				members[tuple] = m
			}
			m.askers = append(m.askers, asker{s, i})
			m.want(q.group.les)
		}
	}
	var chunks []chunk
	for _, key := range order {
		all := make([]*member, 0, len(groups[key]))
		for _, m := range groups[key] {
			all = append(all, m)
		}
		slices.SortFunc(all, func(a, b *member) int { return strings.Compare(a.tuple, b.tuple) })
		questions := make([]question, len(all))
		for i, m := range all {
			questions[i] = m.question
		}
		for _, n := range w.client.plan.limits.divide(questions, len(all), w.client.sender) {
			chunks = append(chunks, chunk{key: key, at: all[0].askers[0].subject.o.At, members: all[:n]})
			all = all[n:]
		}
	}
	return chunks
}

// plain reports whether a chunk is one query that a person would ask.
func (c chunk) plain() bool { return len(c.members) == 1 && !c.members[0].mixed }

// query is what goes over the wire for a chunk that is not plain: the query of
// one member over the union of the values, by the labels that have them.
func (c chunk) query() latency.Query {
	first := c.members[0].question
	q := first.query
	selections := make([]selection, len(c.members))
	var les []string
	for i, m := range c.members {
		selections[i] = m.question.group.selection
		for _, le := range m.les {
			if !slices.Contains(les, le) {
				les = append(les, le)
			}
		}
	}
	expr := first.group.build.on(slices.Concat(first.group.rest, widened(selections)), les)
	spread(expr, first.group.names)
	q.PromQL = expr
	return q
}

// wire sends the chunks of one conversation.
type wire struct {
	client   *Client
	blackout *blackout

	mu     sync.Mutex
	splits map[groupKey]int
}
