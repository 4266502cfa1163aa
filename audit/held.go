package audit

import "github.com/timeout-auditor/timeout-auditor/retry"

// hold works out how long a call keeps its thread or connection, attempts and
// backoff included, and by Little's law how many calls are in flight.
func (a *Assessment) hold() {
	model := a.model()
	if model == nil || a.callScope() || a.ErrorRatio == nil {
		return
	}
	duration := retry.ExpectedDuration(retry.DurationOptions{
		Latency: *model, Policy: a.Policy, ErrorRatio: *a.ErrorRatio, Correlation: a.Correlation.Value,
	})
	a.CallDuration = &duration
	if a.CallsPerSecond != nil {
		inFlight := duration * *a.CallsPerSecond
		a.CallsInFlight = &inFlight
	}
}

// unknownOutcomes are attempts cut off per second: a write among them may have
// been applied, and nobody knows.
func (a *Assessment) unknownOutcomes() *float64 {
	if a.AttemptsPerSecond == nil || a.FalseTimeout == nil || a.Limit <= 0 {
		return nil
	}
	rate := a.FalseTimeout.Point * *a.AttemptsPerSecond
	return &rate
}
