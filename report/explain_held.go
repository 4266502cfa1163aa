package report

import (
	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// held is what calls keep busy, and how far latency is from where retries tip.
func (e *explanation) held() {
	if e.CallDuration != nil && e.CallsInFlight != nil && e.CallsPerSecond != nil {
		e.formula("calls in flight (Little's law) = calls/s · expected duration of a call, attempts and backoff included: %s · %s = %s",
			digits(*e.CallsPerSecond), digits(*e.CallDuration), digits(*e.CallsInFlight))
	}
	if e.UnknownOutcomesPerSecond != nil && e.AttemptsPerSecond != nil && e.FalseTimeout != nil {
		e.formula("attempts/s with an unknown outcome = p · attempts/s = %s · %s = %s", digits(e.FalseTimeout.Point),
			digits(*e.AttemptsPerSecond), digits(*e.UnknownOutcomesPerSecond))
	}
	if e.TripPoint == nil || e.ErrorRatio == nil || !(*e.TripPoint > 0) {
		return
	}
	at := e.Limit / *e.TripPoint
	share := e.Tail.Merged.FractionAbove(at)
	free := e.OutcomeAt(share)
	free.Budget = nil
	e.formula("retries tip once latency grows by T/t* = %s/%s = %s: t* is what a share p* = %s of attempts exceed, and with p* A is %s",
		digits(e.Limit), digits(at), digits(*e.TripPoint), digits(share), digits(retry.Amplification(free)))
}

// tradeoffs sets timeouts beside what they would do by the same counts.
func (e *explanation) tradeoffs() {
	rows := [][]string{{"timeout in s", "chosen for", "p", "F", "A", "call in s"}}
	if then := e.Then(); then != nil {
		rows = append(rows, tradeoffRow("the next step", *then))
	}
	for _, t := range e.Curve() {
		rows = append(rows, tradeoffRow("p of "+figure.Ratio(t.TargetRatio), t))
	}
	if len(rows) == 1 {
		return
	}
	e.say("What timeouts would do, by the same counts:")
	e.table(rows)
}

func tradeoffRow(purpose string, t audit.Tradeoff) []string {
	return []string{digits(t.Timeout), purpose, digits(t.FalseTimeout),
		known(t.Fallback, digits), known(t.Amplification, digits), known(t.CallDuration, digits)}
}
