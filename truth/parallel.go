package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"
)

// progress says on one line how far a section is, at most every second.
type progress struct {
	out  io.Writer
	last time.Time
}

func (p *progress) show(section string, done, all int) {
	if now := time.Now(); now.Sub(p.last) > time.Second || done == all {
		p.last = now
		fmt.Fprintf(p.out, "%s: %d of %d\n", section, done, all)
	}
}

// forEach does work for every item, as many at once as there are processors, and
// returns the results in the items' order, so that nothing depends on who was
// first. It stops early with ctx.
func forEach[T, R any](ctx context.Context, items []T, work func(T) R, done func(int)) ([]R, error) {
	results := make([]R, len(items))
	next := make(chan int)
	finished := make(chan struct{})
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				results[i] = work(items[i])
				finished <- struct{}{}
			}
		})
	}
	go func() {
		defer close(next)
		for i := range items {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		workers.Wait()
		close(finished)
	}()
	count := 0
	for range finished {
		count++
		done(count)
	}
	return results, ctx.Err()
}
