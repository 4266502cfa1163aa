package notify

import (
	"slices"
	"sync"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

// queue holds what one Alertmanager has yet to be told, the most urgent first.
// Of one alert it holds the newest word alone, so that an Alertmanager that was
// away is never told of the past. It is safe for concurrent use.
type queue struct {
	capacity int
	wake     chan struct{} // has an element when there may be something to take

	mu      sync.Mutex
	pending []Alert
}

func newQueue(capacity int) *queue {
	return &queue{capacity: capacity, wake: make(chan struct{}, 1)}
}

// put adds alerts, each in place of an older word on it, and returns how many
// had to be left out because the queue is full: the least urgent ones.
func (q *queue) put(alerts []Alert) (dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	dropped = q.merge(alerts, true)
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return dropped
}

// putBack returns alerts that could not be delivered, except where there is
// newer word by now.
func (q *queue) putBack(alerts []Alert) (dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.merge(alerts, false)
}

func (q *queue) merge(alerts []Alert, newer bool) (dropped int) {
	at := make(map[string]int, len(q.pending))
	for i, a := range q.pending {
		at[a.key] = i
	}
	for _, a := range alerts {
		i, pending := at[a.key]
		switch {
		case !pending:
			at[a.key] = len(q.pending)
			q.pending = append(q.pending, a)
		case newer:
			q.pending[i] = a
		}
	}
	slices.SortStableFunc(q.pending, func(a, b Alert) int { return b.urgency().Compare(a.urgency()) })
	if dropped = len(q.pending) - q.capacity; dropped > 0 {
		q.pending = slices.Delete(q.pending, q.capacity, len(q.pending))
	}
	return max(0, dropped)
}

// urgency of an alert that has cleared is the least: one that is lost ends by
// itself in time.
func (a Alert) urgency() rules.Severity {
	if a.resolved {
		return rules.Off
	}
	return a.severity
}

// take removes and returns up to n alerts.
func (q *queue) take(n int) []Alert {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := slices.Clone(q.pending[:min(n, len(q.pending))])
	q.pending = slices.Delete(q.pending, 0, len(batch))
	return batch
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.pending)
}
