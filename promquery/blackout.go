package promquery

import (
	"context"
	"sync/atomic"
)

// blackoutAfter is how many queries in a row must wait in vain for a
// connection before the others are not sent any more.
const blackoutAfter = 2

// blackout ends a round of queries early when packets to the server vanish.
// Each query would wait for its whole timeout, and a round over many
// dependencies would last for hours. A refused connection costs no time, and
// a slow query is no reason to give up on others, so neither counts.
type blackout struct {
	stop   context.CancelCauseFunc
	inVain atomic.Int64
}

func (b *blackout) saw(err *Error) {
	if err == nil || !err.noConnection {
		b.inVain.Store(0)
		return
	}
	if b.inVain.Add(1) >= blackoutAfter {
		b.stop(err)
	}
}
