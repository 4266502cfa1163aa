package audit

import (
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// predict carries the false-timeout ratio through the effective policy. All
// three figures are monotone in p, so the bracket's ends stay ends.
func (a *Assessment) predict() {
	if a.FalseTimeout == nil {
		return
	}
	if !a.retriesKnown() {
		return
	}
	at := func(f func(p float64) float64) Estimate {
		return Estimate{Point: f(a.FalseTimeout.Point), Lower: f(a.FalseTimeout.Lower), Upper: f(a.FalseTimeout.Upper)}
	}
	a.rates()
	fallback := FallbackEstimate{
		Ratio: at(a.fallbackAt),
		Cause: retry.FallbackRatio(a.outcomeAt(a.FalseTimeout.Point)),
	}
	if a.CallsPerSecond != nil {
		daily := perDay(fallback.Ratio.Point * *a.CallsPerSecond)
		fallback.PerDay = &daily
	}
	a.Fallback = &fallback
	if !a.callScope() {
		amplification := at(a.amplificationAt)
		a.Amplification = &amplification
	}
}

// retriesKnown reports whether what follows from retries can be predicted: how
// many attempts are cut off and how many fail otherwise are both known. From a
// call histogram the retries are measured and not predicted.
func (a Assessment) retriesKnown() bool {
	return a.FalseTimeout != nil && (a.ErrorRatio != nil || a.callScope())
}

// outcomeAt is what one call meets when an attempt is cut off with probability
// p. A call histogram has its retries inside, so it counts as one attempt.
func (a Assessment) outcomeAt(p float64) retry.Outcome {
	if a.callScope() {
		return retry.Outcome{P: []float64{p}, Attempts: 1}
	}
	e := *a.ErrorRatio
	if a.Dependency.ErrorRatioIncludesTimeouts {
		e -= p
	}
	outcome := a.Effective.Outcome(a.attemptRatios(p))
	outcome.E = min(max(e, 0), 1-p)
	outcome.Correlation = a.Correlation.Value
	return outcome
}

// attemptRatios gives p for each attempt: the deadline can leave a later one
// less time than the first, and with that a higher p.
func (a Assessment) attemptRatios(first float64) []float64 {
	ratios := make([]float64, len(a.Effective.Timeouts))
	for i, timeout := range a.Effective.Timeouts {
		ratios[i] = first
		if timeout < a.Limit && a.Tail != nil {
			ratios[i] = max(first, a.Tail.Merged.FractionAbove(timeout))
		}
	}
	return ratios
}

func (a Assessment) fallbackAt(p float64) float64 {
	return retry.FallbackRatio(a.outcomeAt(p)).Total()
}

func (a Assessment) amplificationAt(p float64) float64 {
	return retry.Amplification(a.outcomeAt(p))
}

// rates counts attempts as the server did, before the shrinking that honest
// intervals need, and calls as attempts ÷ amplification. A window that began
// before the series did counts from there.
func (a *Assessment) rates() {
	seconds := a.Dependency.Window.Seconds() * a.Observation.Now.Filled()
	if a.Tail == nil || seconds <= 0 || a.Tail.Counted <= 0 {
		return
	}
	attempts := a.Tail.Counted / seconds
	calls := attempts
	if !a.callScope() {
		calls = attempts / a.amplificationAt(a.FalseTimeout.Point)
		a.AttemptsPerSecond = &attempts
	}
	a.CallsPerSecond = &calls
}

// detail says what a status that is not ok means for this dependency.
func detail(a Assessment) string {
	if a.Status == latency.StatusOK || a.Tail == nil {
		return ""
	}
	return a.Tail.Detail
}
