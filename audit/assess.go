package audit

import (
	"slices"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// P99Ratio is the share of attempts beyond p99: T < p99 says P(X > T) > 1%.
const P99Ratio = 0.01

// Assess judges one dependency by what was observed of it. It never fails:
// what cannot be said is absent, with a status and a reason.
func Assess(in Input) *Assessment {
	a := assess(in, nil)
	if in.Connect != nil {
		a.Connect = assess(*in.Connect, nil)
	}
	a.remember(in.History)
	a.advise(nil)
	return a
}

// assess is Assess without advice, which asks what other policies would do.
// models are those of the same observation under another policy; nil: none.
func assess(in Input, models *latency.Models) *Assessment {
	dep := in.Dependency
	policy := declaredPolicy(dep.Policy)
	effective := policy.Effective()
	a := &Assessment{
		Dependency: dep,
		At:         in.At,
		Policy:     policy,
		Effective:  effective,
		WorstCase:  effective.Requests(),
		Limit:      limitOf(dep, effective),
	}
	if dep.ErrorRatio.Query == "" {
		a.ErrorRatio = &dep.ErrorRatio.Value
	}
	if in.Failure != nil {
		a.Status, a.Detail, a.Queries = in.Failure.Status, in.Failure.Message, in.Failure.Queries
		if in.Failure.Reason != "" {
			a.Reasons = []latency.Reason{in.Failure.Reason}
		}
		a.correlate()
		return a
	}
	a.readLatency(in.Observation, models)
	a.correlate()
	a.predict()
	a.hold()
	a.TripPoint = a.tripPoint()
	a.UnknownOutcomesPerSecond = a.unknownOutcomes()
	a.compareMeasured()
	a.judgeReplicas()
	return a
}

// readLatency fills in what the histogram says, before any retry.
func (a *Assessment) readLatency(o latency.Observation, models *latency.Models) {
	a.Observation, a.Queries = o, o.Queries
	tail := latency.ReadTail(o, latency.TailOptions{
		Timeout:   a.Limit,
		Recording: latency.Recording(a.Dependency.Latency.Timeouts),
		Attempts:  o.Observed.Attempts,
		Timeouts:  o.Observed.Timeouts,

		BeforeAttempts: o.ObservedBefore.Attempts,
		BeforeTimeouts: o.ObservedBefore.Timeouts,

		UnitScale: a.Dependency.Latency.UnitScale,
		Models:    models,
		Retries:   !a.callScope() && a.Policy.RetryOnTimeout && a.Effective.WorstCase > 1,
	})
	a.Tail = &tail
	a.Status, a.Reasons = tail.Status, slices.Clone(tail.Reasons)
	if a.callScope() {
		a.Reasons = append(a.Reasons, latency.ReasonCallScope)
	}
	a.P50, a.P99 = o.P50, o.P99
	a.P99LowerBound = slices.Contains(a.Reasons, latency.ReasonTopBucket)
	a.Lognormal = tail.Lognormal
	if a.Lognormal != nil && a.Limit > 0 {
		p := a.Lognormal.Survival(a.Limit)
		a.LognormalRatio = &p
	}
	if a.P99 != nil && *a.P99 > 0 && a.Limit > 0 {
		ratio := a.Limit / *a.P99
		a.TimeoutP99Ratio, a.Band = &ratio, retry.BandOf(ratio)
	}
	if o.Observed.Timeouts != nil && o.Observed.Attempts != nil && *o.Observed.Attempts > 0 {
		ratio := min(1, *o.Observed.Timeouts / *o.Observed.Attempts)
		a.ObservedRatio = &ratio
	}
	if dep := a.Dependency; dep.ErrorRatio.Query != "" {
		a.ErrorRatio = o.ErrorRatio
	}
	a.FalseTimeout = falseTimeout(tail, a.Limit)
	a.Detail = detail(a)
}

func (a *Assessment) callScope() bool { return a.Dependency.Latency.Scope == "call" }

// falseTimeout is nil where the counts support no figure, and an exact 0 where
// there is no timeout to cut anything: that is a finding of its own.
func falseTimeout(tail latency.Tail, limit float64) *Estimate {
	switch {
	case limit <= 0:
		return &Estimate{}
	case len(tail.Readings) == 0:
		return nil
	}
	return &Estimate{Point: tail.Point, Lower: tail.Lower, Upper: tail.Upper}
}
