package promquery

import (
	"context"
	"sync"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// DefaultMaxReplyBytes bounds a reply where Options sets no bound.
const DefaultMaxReplyBytes = 64 << 20

// Options say whom to ask and how.
type Options struct {
	Prometheus config.Prometheus
	UserAgent  string

	// MaxReplyBytes bounds the size of one reply; 0 means DefaultMaxReplyBytes.
	MaxReplyBytes int64

	// OnQuery is called after every query with what became of it and how long
	// it took. It may be nil, and is called from several goroutines at once.
	OnQuery func(Outcome, time.Duration)
}

// Result is what one dependency's queries came to.
type Result struct {
	// Observation is what was learned. Where Err is set it holds what is known
	// all the same: the time, the window, and the queries that were sent.
	Observation latency.Observation

	// Err is nil or an *Error.
	Err error
}

// Client asks one Prometheus-compatible server. It is safe for concurrent use.
type Client struct {
	sender *sender
	plan   *planner
}

// New builds a client. It does not contact the server. An error says which part
// of the HTTP client configuration does not work, such as a missing CA file.
func New(opts Options) (*Client, error) {
	s, err := newSender(opts)
	if err != nil {
		return nil, err
	}
	return &Client{sender: s, plan: newPlanner()}, nil
}

// CloseIdleConnections closes the connections that no query uses: those of a
// client that nobody will ask again would stay open for minutes.
func (c *Client) CloseIdleConnections() { c.sender.http.CloseIdleConnections() }

// ObserveEach asks about every dependency as of the moment at, and calls each
// with its place among them and its result as soon as that is known, from several
// goroutines at once. Dependencies whose questions differ only in the values of
// labels are asked about together, and each is answered as if it had been asked
// about alone. At most MaxConcurrentQueries are asked at once, each for
// QueryTimeout at most; what fails, fails alone. Only where no connection comes
// about at all, the rest is not asked.
func (c *Client) ObserveEach(ctx context.Context, deps []config.Dependency, at time.Time, each func(i int, r Result)) {
	at = at.Truncate(time.Millisecond)
	c.plan.cycleBegan()
	c.converse(ctx, len(deps), func(i int) *subject {
		s := c.subject(&deps[i], at)
		s.concluded = func(r Result) { each(i, r) }
		return s
	})
}

// Observe is ObserveEach for those who need all results, in the same order.
func (c *Client) Observe(ctx context.Context, deps []config.Dependency, at time.Time) []Result {
	results := make([]Result, len(deps))
	c.ObserveEach(ctx, deps, at, func(i int, r Result) { results[i] = r })
	return results
}

// each calls work for 0 to n−1, as many at once as queries may be.
func (c *Client) each(n int, work func(i int)) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(n, cap(c.sender.slots)) {
		workers.Go(func() {
			for i := range next {
				work(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
}
