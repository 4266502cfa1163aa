package loop

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// ErrTooBusy says that clocks and network lagged too far for the run to say
// anything.
var ErrTooBusy = errors.New("this machine is too busy")

// experiment makes the calls of one scenario.
type experiment struct {
	scenario
	calls   int
	seed    uint64
	connect connector
}

const (
	mostLate = .25 // of the median latency; beyond that the machine is too busy
	slower   = 4   // times, on a machine that is
	slowest  = 16  // times; what is too busy for that is hopeless
)

// row makes the calls and compares. On a machine that is busy it takes all times
// of the scenario several times longer and tries again: its fallbacks and
// attempts stay what they are, calls come more slowly, and the same lateness
// weighs less.
func (e experiment) row(ctx context.Context) (Row, error) {
	for stretch := 1; ; stretch *= slower {
		seen, err := e.stretched(float64(stretch)).run(ctx)
		if err != nil {
			return Row{}, err
		}
		row, err := seen.compare(e.stretched(float64(stretch)).scenario)
		if stretch < slowest && errors.Is(err, ErrTooBusy) {
			continue
		}
		return row, err
	}
}

func (e experiment) stretched(times float64) experiment {
	e.scenario = e.scenario.stretched(times)
	return e
}

// observed is what was measured of all calls.
type observed struct {
	late      *lateness
	mu        sync.Mutex
	calls     int
	fallbacks int
	attempts  sampled
	seconds   sampled
}

func (o *observed) add(c ended) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls++
	if c.fallback {
		o.fallbacks++
	}
	o.attempts.add(float64(c.attempts))
	o.seconds.add(c.seconds)
}

// run makes the calls against a callee of their own.
func (e experiment) run(ctx context.Context) (*observed, error) {
	network, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	seen := &observed{late: &lateness{}}
	stop := network.serve(&callee{fates: fates{e.seed, e.scenario}, late: seen.late})
	client := network.client()
	err = e.send(ctx, seen, &caller{
		policy: e.policy, client: client, url: network.url(), seed: e.seed, late: seen.late, budget: newTokens(e.policy.Budget),
	})
	// Connections first: a callee that stops waits for those that are open.
	client.CloseIdleConnections()
	return seen, errors.Join(err, stop())
}

// send makes all calls, a few at a time.
func (e experiment) send(ctx context.Context, seen *observed, c *caller) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		started atomic.Int64
		workers sync.WaitGroup
	)
	callers := min(e.calls/8, mostCallers)
	for i := range callers {
		workers.Go(func() {
			// One after another, so that not all connect in the same moment.
			time.Sleep(duration(e.latency.Quantile(.5) * float64(i) / float64(callers)))
			for id := started.Add(1); id <= int64(e.calls); id = started.Add(1) {
				call, err := c.call(ctx, uint64(id))
				if err != nil {
					cancel(err)
					return
				}
				seen.add(call)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// compare sets what was measured beside what s leads to expect. Its error is
// ErrTooBusy.
func (o *observed) compare(s scenario) (Row, error) {
	late := o.late.mean()
	median := s.latency.Quantile(.5)
	if most := max(late.Replies, late.Timers); most > mostLate*median {
		return Row{}, fmt.Errorf("%w: clocks are late by %s, against latencies of %s", ErrTooBusy, figure.Seconds(most), figure.Seconds(median))
	}
	expected, err := s.spread(o.late)
	if err != nil {
		return Row{}, err
	}
	declared, low, high := expected.declared, expected.low, expected.high
	least, most := shareLimits(o.calls, low.fallback, high.fallback)
	attempts, seconds := o.attemptsError(declared.attempts), o.seconds.error()
	return Row{
		Policy:   s.String(),
		Calls:    o.calls,
		Fallback: measure(float64(o.fallbacks)/float64(o.calls), declared.fallback, least, most),
		Attempts: measure(o.attempts.mean(), declared.attempts, low.attempts-attempts, high.attempts+attempts),
		Duration: measure(o.seconds.mean(), declared.seconds, low.seconds-seconds, high.seconds+seconds),
		Late:     late,
	}, nil
}

// attemptsError returns how far the measured attempts per call may lie from the
// true ones at 99.9%, if these are as predicted.
//
// derivation: retries are counts, and their variance grows with their number. A
// sample that has few of them by chance has a small variance, too, which is
// therefore scaled to as many retries as predicted. It is at least that of
// retries that are made once or not at all.
func (o *observed) attemptsError(predicted float64) float64 {
	retries, measured := predicted-1, o.attempts.mean()-1
	variance := o.attempts.variance()
	if measured > 0 {
		variance *= max(1, retries/measured)
	}
	return errorOfMean(max(variance, retries*(1-retries)), o.attempts.n)
}
