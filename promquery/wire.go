package promquery

import (
	"context"
	"math/bits"
	"strings"
)

// send asks one chunk and hands out the answers. A query that is too large is
// halved; one that is refused is halved until what is to blame stands alone.
func (w *wire) send(ctx context.Context, c chunk) {
	if c.plain() {
		r, err := w.client.sender.ask(ctx, c.members[0].question.query, c.at)
		w.blackout.saw(err)
		c.members[0].deliver(answered{r, err})
		return
	}
	router := routerOf(c)
	notes, err := w.client.sender.route(ctx, c.query(), c.at, router)
	w.blackout.saw(err)
	switch {
	case err == nil:
		for _, m := range c.members {
			m.deliver(answered{reply: reply{value: router.take(m.tuple), notes: notes}})
		}
	case len(c.members) > 1 && tooMuch(err):
		w.client.plan.limits.refused(c.members[0].question, len(c.members))
		w.halve(ctx, c)
	case len(c.members) > 1 && err.Kind == KindBadQuery && !err.unparsed() && w.maySplit(c):
		w.halve(ctx, c)
	default:
		for _, m := range c.members {
			m.deliver(answered{err: err})
		}
	}
}

func (w *wire) halve(ctx context.Context, c chunk) {
	half := len(c.members) / 2
	first, second := c, c
	first.members, second.members = c.members[:half], c.members[half:]
	w.send(ctx, first)
	w.send(ctx, second)
}

// maySplit bounds how often a group is split in search of what is to blame: a
// few dependencies are found in it, and where all are to blame it ends soon.
func (w *wire) maySplit(c chunk) bool {
	const culprits = 8
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.splits == nil {
		w.splits = map[groupKey]int{}
	}
	w.splits[c.key]++
	return w.splits[c.key] <= culprits*(1+bits.Len(uint(len(c.members))))
}

// tooMuch reports whether less at once may be answered.
func tooMuch(err *Error) bool {
	if err.Kind == KindTooLarge || err.status == 413 || err.status == 414 {
		return true
	}
	if err.Kind != KindBadQuery && err.Kind != KindServerError {
		return false
	}
	text := strings.ToLower(err.Message)
	for _, words := range []string{"too many samples", "too many series", "too many points", "too long query", "too many chunks", "limit"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
