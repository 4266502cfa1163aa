package loop

import (
	"context"
	"sync"
	"time"
)

// hedge makes an attempt, and a second one when the first is as old as the
// policy says and has no reply. Both share one timeout, the first reply wins,
// and the other attempt is abandoned.
func (c *caller) hedge(ctx context.Context, id uint64) (last result, made int, err error) {
	var open sync.WaitGroup
	defer open.Wait()
	within, cancel := context.WithTimeout(ctx, duration(c.policy.Timeout))
	defer cancel()
	type answer struct {
		result result
		err    error
	}
	answers := make(chan answer, 2)
	send := func() {
		made++
		k := made
		open.Go(func() {
			r, err := c.attempt(within, id, k)
			answers <- answer{r, err}
		})
	}
	send()
	due := time.Now().Add(duration(c.policy.HedgeAfter))
	timer := time.NewTimer(duration(c.policy.HedgeAfter))
	defer timer.Stop()
	for ended := 0; ended < made; {
		select {
		case <-timer.C:
			c.late.timer(time.Since(due).Seconds())
			send()
		case a := <-answers:
			ended++
			if a.err != nil || a.result == replied {
				return a.result, made, a.err
			}
			last = a.result
		}
	}
	return last, made, nil
}
