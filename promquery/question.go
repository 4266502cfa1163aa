package promquery

import (
	"fmt"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// question is a query about one dependency, and what puts the answer into its
// observation. The query is what a person can ask by hand; on the wire it may
// be one of many that are asked together.
type question struct {
	query latency.Query
	read  func(*latency.Observation, reply) *Error
	group grouping
	cost  cost

	// refused is what to ask instead when the server does not accept the query;
	// nil: nothing.
	refused func() []question
}

// grouping says with what other questions a question may be asked together:
// those that are alike and have other values. The zero grouping is asked alone,
// and once for all that ask the very same.
type grouping struct {
	alike alike
	selection
	les   []string // the buckets that are asked for; none: all
	build builder
}

// alike is what questions have in common that may be asked together.
type alike struct {
	wording    wording // about a target
	shape      shape
	configured string // an expression without its values
}

// builder makes the query of a group: on other matchers in place of the
// selection's, and other buckets.
type builder interface {
	on(matchers []*labels.Matcher, les []string) parser.Expr
}

// cost is about what the server and we have to hold for an answer.
type cost struct {
	samples float64 // loaded by the server
	bytes   float64 // of JSON
}

func (c cost) plus(d cost) cost { return cost{c.samples + d.samples, c.bytes + d.bytes} }

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
