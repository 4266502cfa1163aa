package loop

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// Options says how large a run is.
type Options struct {
	Calls    int       // of each policy; at least LeastCalls
	Seed     uint64    // of what callees do
	Progress io.Writer // a line for each policy that is done; nil: none
}

// LeastCalls is the fewest calls that say anything about a policy.
const LeastCalls = 200

// Row is one policy, measured and predicted.
type Row struct {
	Policy   string // with the error ratio and the correlation of its callee
	Calls    int
	Fallback Measure // calls that end in a fallback ÷ calls
	Attempts Measure // attempts ÷ calls
	Duration Measure // of a call on average, in seconds
	Late     Lateness
}

// Inside reports whether all of the row's figures lie where they may.
func (r Row) Inside() bool { return r.Fallback.Inside && r.Attempts.Inside && r.Duration.Inside }

// Run makes the calls of every policy and returns one row for each, in a fixed
// order. It takes about a minute for 5,000 calls. Errors are those of ctx, of a
// network that does not work, of options outside their range, and ErrTooBusy.
func Run(ctx context.Context, o Options) ([]Row, error) {
	return o.run(ctx, scenarios(), loopback)
}

// atOnce is how many policies are tried at the same time.
const atOnce = 3

func (o Options) run(ctx context.Context, all []scenario, connect connector) ([]Row, error) {
	if o.Calls < LeastCalls {
		return nil, fmt.Errorf("%d calls say too little: at least %d are needed", o.Calls, LeastCalls)
	}
	for _, s := range all {
		if err := s.validate(); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	rows := make([]Row, len(all))
	next := make(chan int)
	progress := progress{out: o.Progress, all: len(all)}
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for i := range next {
				e := experiment{scenario: all[i], calls: o.Calls, seed: o.Seed + uint64(i), connect: connect}
				row, err := e.row(ctx)
				if err != nil {
					cancel(fmt.Errorf("policy %q: %w", all[i], err))
					continue
				}
				rows[i] = row
				progress.done()
			}
		})
	}
	for i := range all {
		next <- i // a run that is over takes them at once
	}
	close(next)
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return rows, nil
}

// progress says how many policies are done.
type progress struct {
	out   io.Writer
	all   int
	mu    sync.Mutex
	count int
}

func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	if p.out != nil {
		fmt.Fprintf(p.out, "closed loop: %d of %d policies\n", p.count, p.all)
	}
}
