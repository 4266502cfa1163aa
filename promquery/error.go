package promquery

import (
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Kind says what went wrong. A query that failed has the text of its Outcome.
type Kind string

const (
	// The query was not answered.
	KindTimeout      Kind = Kind(OutcomeTimeout)
	KindCanceled     Kind = Kind(OutcomeCanceled)
	KindUnreachable  Kind = Kind(OutcomeUnreachable)
	KindUnauthorized Kind = Kind(OutcomeUnauthorized)
	KindBadQuery     Kind = Kind(OutcomeBadQuery)
	KindThrottled    Kind = Kind(OutcomeThrottled)
	KindServerError  Kind = Kind(OutcomeServerError)
	KindMalformed    Kind = Kind(OutcomeMalformed)
	KindTooLarge     Kind = Kind(OutcomeTooLarge)

	// The query was answered without some of the data, as good as not at all.
	KindPartial Kind = "partial"

	// The query was answered.
	KindNoData   Kind = "no-data"  // with no series, no samples or NaN alone
	KindUnusable Kind = "unusable" // with something that is not the data asked for
)

// Error says why a dependency could not be observed, and what to do about it.
type Error struct {
	Kind    Kind
	Reason  latency.Reason // what in the data is wrong; empty where none applies
	Query   latency.Query  // the query that failed; empty where none was sent
	Message string         // for a person: what happened and what to do
	Err     error          // the cause; nil where there is none

	key          string // the configured expression that is to blame, if one is
	noConnection bool   // the whole query timeout passed without a connection
	status       int    // of the reply; 0 without one
	retryAfter   time.Duration
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// NoData reports whether the server answered, with nothing that can be judged:
// no series, or data that no figure follows from. The other errors are queries
// that were not answered.
func (e *Error) NoData() bool { return e.Kind == KindNoData || e.Kind == KindUnusable }

// Status is no-data or query-failed.
func (e *Error) Status() latency.Status {
	if e.NoData() {
		return latency.StatusNoData
	}
	return latency.StatusQueryFailed
}
