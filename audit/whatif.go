package audit

import (
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// WhatIf judges the same observation under another policy. Another timeout is
// read off the histogram as it stands, so it must be one that Sees says it
// reaches; what counters counted was under the policy in force and is left out.
// The timeout in force is read as Assess read it.
//
// Callers ask as often as they do now, and attempts fail otherwise than by
// timeout as they do now: rates follow from the calls, and an error ratio that
// includes timeouts keeps what it has beside them.
func (a *Assessment) WhatIf(policy config.Policy) *Assessment {
	dep := *a.Dependency
	dep.Policy = policy
	dep.Correlation = config.Correlation{Value: a.Correlation.Value}
	o := a.Observation
	if limitOf(&dep, declaredPolicy(policy).Effective()) == a.Limit {
		o.Observed = latency.Counters{Attempts: o.Observed.Attempts, Timeouts: o.Observed.Timeouts}
	} else {
		dep.Latency.Timeouts = string(latency.RecordingUncensored)
		o.Observed, o.ObservedBefore = latency.Counters{}, latency.Counters{}
	}
	if dep.ErrorRatioIncludesTimeouts && a.ErrorRatio != nil && a.FalseTimeout != nil {
		others := max(*a.ErrorRatio-a.FalseTimeout.Point, 0)
		dep.ErrorRatioIncludesTimeouts = false
		if o.ErrorRatio = &others; dep.ErrorRatio.Query == "" {
			dep.ErrorRatio.Value = others
		}
	}
	var models *latency.Models
	if a.Tail != nil {
		models = a.Tail.Models
	}
	then := assess(Input{Dependency: &dep, At: a.At, Observation: o}, models)
	then.callAsOften(a.CallsPerSecond)
	return then
}

// callAsOften sets the calls per second, and with them all that is counted by
// the second or the day.
func (a *Assessment) callAsOften(calls *float64) {
	if calls == nil || a.CallsPerSecond == nil {
		return
	}
	a.CallsPerSecond = calls
	if a.AttemptsPerSecond != nil && a.Amplification != nil {
		attempts := *calls * a.Amplification.Point
		a.AttemptsPerSecond = &attempts
	}
	a.UnknownOutcomesPerSecond = a.unknownOutcomes()
	if a.Fallback != nil {
		daily := perDay(a.Fallback.Ratio.Point * *calls)
		a.Fallback.PerDay = &daily
	}
	if a.CallDuration != nil {
		inFlight := *a.CallDuration * *calls
		a.CallsInFlight = &inFlight
	}
}

// Sees reports whether the histogram says anything about a timeout. One that the
// timeout in force may have bent says nothing beyond it, and below it only when
// what it may have lost is too little to matter.
func (a *Assessment) Sees(timeout float64) bool {
	return a.Tail != nil && (!a.bent() || timeout <= a.Limit && !censored(a))
}

// bent reports whether attempts cut off may be missing from the histogram or
// recorded at the timeout.
func (a *Assessment) bent() bool {
	readings := a.Tail.Readings
	return len(readings) != 1 || readings[0].Recording != latency.RecordingUncensored
}

// withTimeout is the declared policy with another timeout per attempt.
func (a *Assessment) withTimeout(seconds float64) config.Policy {
	policy := a.Dependency.Policy
	policy.Timeout = time.Duration(seconds * float64(time.Second))
	return policy
}

// Tradeoff is one timeout and what it would do.
type Tradeoff struct {
	TargetRatio  float64 // what it was chosen for; 0: the recommended step
	Timeout      float64 // seconds; also the delay until a dead callee is noticed
	FalseTimeout float64
	Fallback     *float64
	Amplification,
	CallDuration *float64
}

func (a *Assessment) tradeoff(target, timeout float64) Tradeoff {
	then := a.WhatIf(a.withTimeout(timeout))
	t := Tradeoff{TargetRatio: target, Timeout: timeout, CallDuration: then.CallDuration}
	if then.FalseTimeout != nil {
		t.FalseTimeout = then.FalseTimeout.Point
	}
	if then.Fallback != nil {
		t.Fallback = &then.Fallback.Ratio.Point
	}
	if then.Amplification != nil {
		t.Amplification = &then.Amplification.Point
	}
	return t
}

// Then is what the recommended step would do; nil where the histogram does not
// say.
func (a *Assessment) Then() *Tradeoff {
	if r := a.Recommendation; r != nil && r.Step != nil && a.Sees(*r.Step) {
		then := a.tradeoff(0, *r.Step)
		return &then
	}
	return nil
}

// Curve is the trade-off between false timeouts and detection delay, for the
// ratios 1%, 0.1% and 0.01% as far as the window has enough calls for them.
func (a *Assessment) Curve() []Tradeoff {
	if a.Tail == nil || a.Limit <= 0 || a.callScope() {
		return nil
	}
	var curve []Tradeoff
	for _, target := range []float64{0.01, 0.001, 0.0001} {
		timeout, bounded := a.quantile(target)
		if bounded && timeout > 0 && a.Tail.Samples >= enoughAbove/target && a.Sees(timeout) {
			curve = append(curve, a.tradeoff(target, timeout))
		}
	}
	return curve
}
