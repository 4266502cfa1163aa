package promquery

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// question is a query, and what puts the answer into an observation.
type question struct {
	query latency.Query
	read  func(*latency.Observation, reply) *Error
}

// ask asks questions side by side, as many at once as the sender lets through,
// and then reads all answers. The error is that of the first question that has
// one.
func (c *Client) ask(ctx context.Context, o *latency.Observation, questions []question) *Error {
	at := o.At
	answers := make([]answered, len(questions))
	var wait sync.WaitGroup
	for i, q := range questions {
		o.Queries = append(o.Queries, q.query)
		wait.Go(func() { answers[i].reply, answers[i].err = c.sender.ask(ctx, q.query, at) })
	}
	wait.Wait()
	var first *Error
	for i, q := range questions {
		if err := about(q.query, answers[i].into(o, q.read)); first == nil {
			first = err
		}
	}
	return first
}

// answered is a reply or the reason why there is none.
type answered struct {
	reply reply
	err   *Error
}

// into decodes a reply into the observation.
func (a answered) into(o *latency.Observation, read func(*latency.Observation, reply) *Error) *Error {
	if a.err != nil {
		return a.err
	}
	o.Notes = append(o.Notes, a.reply.notes...)
	err := read(o, a.reply)
	if err != nil && err.Kind == KindNoData && len(a.reply.notes) > 0 {
		err.Message += "; the server remarks: " + line(strings.Join(a.reply.notes, "; "))
	}
	return err
}

// about says which query an error is about, where it does not say so itself.
func about(q latency.Query, err *Error) *Error {
	if err != nil && err.Query == (latency.Query{}) {
		err.Query = q
		err.Message = fmt.Sprintf("%s query: %s", q.Purpose, err.Message)
	}
	return err
}
