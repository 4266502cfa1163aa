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
	a.lookLater()
	a.rates()
	fallback := FallbackEstimate{
		Ratio: at(a.fallbackAt),
		Cause: retry.FallbackRatio(a.OutcomeAt(a.FalseTimeout.Point)),
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
func (a *Assessment) retriesKnown() bool {
	return a.FalseTimeout != nil && (a.ErrorRatio != nil || a.callScope())
}

// OutcomeAt is what one call meets when an attempt is cut off with probability
// p. A call histogram has its retries inside, so it counts as one attempt. It
// must not be asked where the error ratio is not known.
func (a *Assessment) OutcomeAt(p float64) retry.Outcome {
	if a.callScope() {
		return retry.Outcome{P: []float64{p}, Attempts: 1}
	}
	e := *a.ErrorRatio
	if a.Dependency.ErrorRatioIncludesTimeouts {
		e -= p
	}
	outcome := a.Effective.Outcome(atLeast(p, a.later.afterTimeouts))
	for _, row := range a.later.afterErrors {
		outcome.AfterErrors = append(outcome.AfterErrors, atLeast(p, row))
	}
	outcome.Hedge = a.later.hedge
	outcome.E = min(max(e, 0), 1-p)
	outcome.Correlation = a.Correlation.Value
	return outcome
}

// later is what the histogram says of attempts that have another time than the
// first one has: false-timeout ratios, 0 where they have as much.
type later struct {
	afterTimeouts []float64
	afterErrors   [][]float64
	hedge         *retry.HedgeRatios
}

// lookLater reads off the histogram how often an attempt is cut off that the
// deadline leaves less time, and what becomes of hedges. Errors take as long as
// replies that come in time.
func (a *Assessment) lookLater() {
	a.later = later{afterTimeouts: a.cutOff(a.Effective.Timeouts)}
	if l := a.model(); l != nil && a.ErrorRatio != nil && (*a.ErrorRatio > 0 || a.Dependency.ErrorRatio.Query != "") {
		for _, row := range a.Effective.AfterErrors(l.MeanBelow(a.Limit)) {
			a.later.afterErrors = append(a.later.afterErrors, a.cutOff(row))
		}
	}
	if after := a.Effective.HedgeAfter; after > 0 && a.Tail != nil && a.Limit > 0 {
		a.later.hedge = &retry.HedgeRatios{
			Open: a.Tail.Merged.FractionAbove(after), Late: a.Tail.Merged.FractionAbove(a.Limit - after),
		}
	}
}

func (a *Assessment) cutOff(timeouts []float64) []float64 {
	ratios := make([]float64, len(timeouts))
	for i, timeout := range timeouts {
		if timeout < a.Limit && a.Tail != nil {
			ratios[i] = a.Tail.Merged.FractionAbove(timeout)
		}
	}
	return ratios
}

// model is the lognormal that durations are worked out with; nil: none.
func (a *Assessment) model() *latency.Lognormal {
	if a.Tail != nil && a.Tail.Fit != nil {
		return &a.Tail.Fit.Lognormal
	}
	return a.Lognormal
}

func atLeast(p float64, ratios []float64) []float64 {
	raised := make([]float64, len(ratios))
	for i, ratio := range ratios {
		raised[i] = max(p, ratio)
	}
	return raised
}

func (a *Assessment) fallbackAt(p float64) float64 {
	return retry.FallbackRatio(a.OutcomeAt(p)).Total()
}

func (a *Assessment) amplificationAt(p float64) float64 {
	return retry.Amplification(a.OutcomeAt(p))
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
func detail(a *Assessment) string {
	if a.Status == latency.StatusOK || a.Tail == nil {
		return ""
	}
	return a.Tail.Detail
}
