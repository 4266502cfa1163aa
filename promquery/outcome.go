package promquery

// Outcome says what became of one query. It is the `result` label of the
// query counter.
type Outcome string

const (
	OutcomeSuccess      Outcome = "success"      // answered, perhaps with nothing in it
	OutcomeTimeout      Outcome = "timeout"      // no whole answer within the query timeout
	OutcomeCanceled     Outcome = "canceled"     // the caller gave up, as at shutdown
	OutcomeUnreachable  Outcome = "unreachable"  // no connection: refused, unknown host, TLS, redirects
	OutcomeUnauthorized Outcome = "unauthorized" // 401 or 403
	OutcomeBadQuery     Outcome = "bad-query"    // the server does not accept the expression
	OutcomeThrottled    Outcome = "throttled"    // 429
	OutcomeServerError  Outcome = "server-error" // any other status that is no success
	OutcomeMalformed    Outcome = "malformed"    // not the JSON of the Prometheus API
	OutcomeTooLarge     Outcome = "too-large"    // more than MaxReplyBytes
)

// Outcomes lists every outcome.
func Outcomes() []Outcome {
	return []Outcome{
		OutcomeSuccess, OutcomeTimeout, OutcomeCanceled, OutcomeUnreachable, OutcomeUnauthorized,
		OutcomeBadQuery, OutcomeThrottled, OutcomeServerError, OutcomeMalformed, OutcomeTooLarge,
	}
}
