package agent

import (
	"context"
	"time"
)

// budget bounds a cycle by the moment at which the figures of the one before
// go stale. What was not answered by then has failed, and the rest is reported:
// a report that is late for some dependencies is better than none for all.
func (s *setup) budget(ctx context.Context) (context.Context, context.CancelFunc) {
	c := s.config
	if c.StaleAfter <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, max(c.StaleAfter-c.Schedule.Gap, c.Schedule.Gap, time.Second))
}
