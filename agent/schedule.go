package agent

import (
	"context"
	"sync"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// maxJitter bounds how late a scheduled cycle starts; a tenth of the schedule's
// longest gap does too.
const maxJitter = 30 * time.Second

// Run runs a cycle at once, then one at each time of the schedule and one after
// each reload, until ctx ends. Cycles never overlap: a time that passes while
// one runs is counted as missed. In between, it looks at the past of a few
// dependencies. What cycles find is pushed to Alertmanagers meanwhile, and for a
// few seconds after ctx has ended.
func (a *Agent) Run(ctx context.Context) {
	var pushing sync.WaitGroup
	defer pushing.Wait()
	pushing.Go(func() { a.notifier.Run(ctx) })
	due := time.Now()
	for ctx.Err() == nil {
		a.cycle(ctx)
		schedule := a.Config().Schedule
		var missed int
		due, missed = nextDue(schedule, due, time.Now())
		a.instrument.missed(missed)
		a.lookBack(ctx, due)
		if a.wait(ctx, due.Add(a.jitter(schedule))) {
			due = time.Now()
		}
	}
}

// wait returns at the given time, or earlier when ctx ends or a reload wants a
// cycle of its own; it reports whether one does.
func (a *Agent) wait(ctx context.Context, until time.Time) (reloaded bool) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-a.reloaded:
		return true
	}
	return false
}

func (a *Agent) jitter(schedule config.Schedule) time.Duration {
	return time.Duration(a.options.Jitter * float64(min(maxJitter, schedule.Gap/10)))
}

// nextDue returns the first time of the schedule after now, counted from the
// last one so that cycles keep their pace, and how many times passed unused. A
// clock that was set back starts anew from now.
func nextDue(schedule config.Schedule, last, now time.Time) (due time.Time, missed int) {
	if last.After(now) {
		last = now
	}
	due = schedule.Next(last)
	for ; !due.After(now); due = schedule.Next(due) {
		missed++
	}
	return due, missed
}
