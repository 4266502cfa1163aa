package loop

import (
	"context"
	"time"
)

// hedge makes an attempt, and sends a second request when the first is as old as
// the policy says and has no reply. Both share one timeout, the first reply
// wins, and the other request is abandoned. sent counts the requests of the call.
func (c *caller) hedge(ctx context.Context, id uint64, sent *int) (last result, err error) {
	within, cancel := context.WithTimeout(ctx, duration(c.policy.Timeout))
	answers := make(chan answer, 2)
	open := 0
	send := func() {
		*sent++
		open++
		k := *sent
		go func() {
			r, err := c.attempt(within, id, k)
			answers <- answer{r, err}
		}()
	}
	defer func() { // no request outlives its attempt
		cancel()
		for range open {
			<-answers
		}
	}()
	send()
	due := time.Now().Add(duration(c.policy.HedgeAfter))
	timer := time.NewTimer(duration(c.policy.HedgeAfter))
	defer timer.Stop()
	for open > 0 {
		select {
		case <-timer.C:
			c.late.timer(time.Since(due).Seconds())
			send()
		case a := <-answers:
			open--
			if a.err != nil || a.result == replied {
				return a.result, a.err
			}
			last = max(last, a.result)
		}
	}
	return last, nil
}

// answer is what became of one request.
type answer struct {
	result result
	err    error
}
