package promquery

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// converse asks n subjects until none has a question left. Those that begin with
// a question of one group go through their rounds together, as many at once as
// the limits allow; the others neither wait for them nor make them wait. A
// subject is made once to learn what it begins with, and again when its turn
// comes, so that thousands do not wait in memory.
func (c *Client) converse(ctx context.Context, n int, subject func(i int) *subject) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := &wire{client: c, blackout: &blackout{stop: stop}}
	parties := c.parties(n, subject)
	c.each(len(parties), func(i int) { w.ask(ctx, parties[i], subject) })
}

// ask asks a party from the first round to the last.
func (w *wire) ask(ctx context.Context, party []int, subjectOf func(i int) *subject) {
	open := make([]*subject, 0, len(party))
	for _, i := range party {
		if s := subjectOf(i); s.advance() {
			open = append(open, s)
		}
	}
	for len(open) > 0 {
		chunks := w.chunks(open)
		w.client.each(len(chunks), func(i int) { w.send(ctx, chunks[i]) })
		open = slices.DeleteFunc(open, func(s *subject) bool { return s.next == nil || !s.advance() })
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
	question *question // the first; others differ in the buckets alone
	les      []string  // of all
	mixed    bool      // whether they do differ
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
		for i := range s.questions {
			q := &s.questions[i]
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
		loads := make([]load, len(all))
		for i, m := range all {
			loads[i] = m.question.load()
		}
		for _, n := range w.client.plan.limits.divide(key.alike, loads, len(all), w.client.sender) {
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
	matchers, long := shortened(widened(selections))
	expr := first.group.build.on(slices.Concat(first.group.rest, matchers), les)
	spread(expr, first.group.names)
	q.PromQL = latency.Words(long.Replace(inWords(expr)))
	return q
}

// wire sends the chunks of one conversation.
type wire struct {
	client   *Client
	blackout *blackout

	mu     sync.Mutex
	splits map[groupKey]int
}
