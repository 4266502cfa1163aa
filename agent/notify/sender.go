package notify

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync/atomic"
	"time"
)

const (
	batchSize   = 64               // alerts in one request
	firstRetry  = time.Second      // after a failure, doubled by each further one
	lastRetry   = 30 * time.Second // at most
	drainLimit  = 3 * time.Second  // for what is queued at shutdown
	rejectedFor = 10 * time.Minute // before a rejected alert is tried again
)

// sender tells one Alertmanager what is in its queue. What it keeps beside that
// belongs to the goroutine in run.
type sender struct {
	name       string
	target     atomic.Pointer[target] // swapped by a reload
	queue      *queue
	instrument *instrument
	logger     *slog.Logger
	retired    chan struct{} // closed when the Alertmanager leaves the configuration
	started    bool          // guarded by the Notifier's lock

	failing  bool
	full     atomic.Bool
	rejected map[string]time.Time // when each was, by key
}

// enqueue hands alerts over without ever waiting.
func (s *sender) enqueue(alerts []Alert) {
	dropped := s.queue.put(alerts)
	s.dropped(dropped)
	if dropped == 0 {
		s.full.Store(false)
	}
	s.instrument.queued(s.name, s.queue.length())
}

func (s *sender) dropped(n int) {
	s.instrument.count(s.name, Dropped, n)
	if n > 0 && !s.full.Swap(true) {
		s.logger.Error("Notification queue is full, the least severe alerts are dropped", "alertmanager", s.name, "dropped", n)
	}
}

// run delivers until ctx ends or the Alertmanager is retired, and then tries
// once more what is left, for drainLimit at most.
func (s *sender) run(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-s.retired:
			stop()
		case <-ctx.Done():
		}
	}()
	sending, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	context.AfterFunc(ctx, func() { time.AfterFunc(drainLimit, abort) })

	for wait := firstRetry; ; {
		delivered := s.flush(sending)
		switch {
		case ctx.Err() != nil:
			return
		case delivered:
			wait = firstRetry
			select {
			case <-s.queue.wake:
			case <-ctx.Done():
			}
		default:
			pause(ctx, wait)
			wait = min(2*wait, lastRetry)
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// flush sends batches until the queue is empty or one fails.
func (s *sender) flush(ctx context.Context) (delivered bool) {
	defer func() { s.instrument.queued(s.name, s.queue.length()) }()
	for {
		batch := s.queue.take(batchSize)
		if len(batch) == 0 {
			return true
		}
		if batch = s.withoutRejected(batch); len(batch) == 0 {
			continue
		}
		left, err := s.deliver(ctx, batch)
		if err != nil {
			s.dropped(s.queue.putBack(left))
			s.failed(err)
			return false
		}
		s.succeeded()
	}
}

// deliver sends a batch. One that is refused for what is in it is halved, until
// the alert to blame stands alone. It returns what was not decided on, with the
// reason.
func (s *sender) deliver(ctx context.Context, batch []Alert) (left []Alert, err error) {
	began := time.Now()
	err = s.target.Load().post(ctx, batch)
	s.instrument.posted(s.name, time.Since(began))
	var refused *refusal
	switch {
	case err == nil:
		s.instrument.count(s.name, Success, len(batch))
		s.accepted(batch)
		return nil, nil
	case !errors.As(err, &refused) || !refused.ofContent():
		s.instrument.count(s.name, Failed, len(batch))
		return batch, err
	case len(batch) == 1:
		s.reject(batch[0], err)
		return nil, nil
	}
	half := len(batch) / 2
	left, err = s.deliver(ctx, batch[:half])
	if err != nil {
		return append(left, batch[half:]...), err
	}
	return s.deliver(ctx, batch[half:])
}

// withoutRejected leaves out what was rejected a short while ago: it would only
// be halved down to again.
func (s *sender) withoutRejected(batch []Alert) []Alert {
	var kept []Alert
	for _, a := range batch {
		if at, rejected := s.rejected[a.key]; rejected && time.Since(at) < rejectedFor {
			s.instrument.count(s.name, Rejected, 1)
			continue
		}
		kept = append(kept, a)
	}
	return kept
}

func (s *sender) reject(a Alert, err error) {
	s.instrument.count(s.name, Rejected, 1)
	if _, known := s.rejected[a.key]; !known {
		s.logger.Error("Alertmanager rejects an alert, the others are sent without it", "alertmanager", s.name, "labels", a.Labels, "err", err)
	}
	s.rejected[a.key] = time.Now()
	maps.DeleteFunc(s.rejected, func(_ string, at time.Time) bool { return time.Since(at) > 2*rejectedFor })
}

func (s *sender) accepted(batch []Alert) {
	for _, a := range batch {
		delete(s.rejected, a.key)
	}
}

func (s *sender) failed(err error) {
	if !s.failing {
		s.logger.Error("Alertmanager is not reached, the newest state is kept and sent again", "alertmanager", s.name, "err", err)
	}
	s.failing = true
}

func (s *sender) succeeded() {
	if s.failing {
		s.logger.Info("Alertmanager is reached again", "alertmanager", s.name)
	}
	s.failing = false
}
