package audit_test

import (
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
)

func TestTripPointIsWhereRetriesTip(t *testing.T) {
	// One retry, independent attempts: amplification is 1 + p, so retries reach
	// 20% of the calls where p is 20%. Of 36,000 calls 18,000 lie below 0.1 s and
	// 14,400 between 0.1 and 0.25 s, so 20% are above 0.1 + 0.15·(10,800/14,400).
	dep := dependency(config.Policy{Timeout: time.Second, Retries: 1})
	dep.Correlation.Value = 0
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)})
	if a.TripPoint == nil {
		t.Fatal("no trip point")
	}
	near(t, "trip point", *a.TripPoint, 1/0.2125, 1e-6)

	budget := 0.1 // tips at 10%: exactly the bound at 0.25 s
	dep.Policy.RetryBudget = &budget
	a = audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)})
	near(t, "trip point under a budget of 10%", *a.TripPoint, 4, 1e-6)

	dep.Policy.Retries = 0
	if a = audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)}); a.TripPoint != nil {
		t.Errorf("trip point %v without retries", *a.TripPoint)
	}
}

func TestHeldCallsFollowLittlesLaw(t *testing.T) {
	a := audit.Assess(audit.Input{Dependency: new(dependency(config.Policy{Timeout: 5 * time.Second})), At: at, Observation: observation(t, bounds, counts)})
	if a.CallDuration == nil || *a.CallDuration < 0.1 || *a.CallDuration > 0.3 {
		t.Fatalf("expected call duration %v, want about the mean of 0.17 s", a.CallDuration)
	}
	near(t, "calls in flight", *a.CallsInFlight, *a.CallDuration*10, 1e-9)
	near(t, "unknown outcomes", *a.UnknownOutcomesPerSecond, a.FalseTimeout.Point*10, 1e-9)
}

func TestRecommendedStepSaysWhatItBuys(t *testing.T) {
	a := audit.Assess(audit.Input{Dependency: new(dependency(config.Policy{Timeout: 250 * time.Millisecond, Retries: 1})), At: at, Observation: observation(t, bounds, counts)})
	then := a.Then()
	if then == nil {
		t.Fatal("nothing is said about the step")
	}
	near(t, "timeout", then.Timeout, 0.5, 1e-9)
	near(t, "false timeouts at 500ms", then.FalseTimeout, 0.05, 1e-9) // 34,200 of 36,000 are below
	near(t, "amplification", *then.Amplification, 1.05, 1e-9)
	if *then.CallDuration <= *a.CallDuration*0.5 {
		t.Errorf("duration %v then, %v now", *then.CallDuration, *a.CallDuration)
	}
}

func TestCurveReachesAsFarAsTheData(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 5 * time.Second})
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)})
	var targets []float64
	for _, point := range a.Curve() {
		targets = append(targets, point.TargetRatio)
		near(t, "false timeouts", point.FalseTimeout, point.TargetRatio, 0.05)
	}
	if len(targets) != 2 || targets[0] != 0.01 || targets[1] != 0.001 {
		t.Errorf("targets %v: 36,000 calls carry 1%% and 0.1%%, not 0.01%%", targets)
	}
}

func TestNothingIsSaidBeyondATimeoutThatBentItsHistogram(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 250 * time.Millisecond})
	dep.Latency.Timeouts = "recorded"
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)})
	if a.Sees(0.5) || a.Sees(0.1) {
		t.Errorf("sees 500ms %t, 100ms %t, though 10%% or more were cut off at 250ms", a.Sees(0.5), a.Sees(0.1))
	}
	if r := a.Recommendation; r == nil || r.Target != nil || a.Then() != nil || r.Step == nil || *r.Step != 0.5 {
		t.Errorf("recommendation %+v, want a step alone", r)
	}
	if len(a.Curve()) != 0 {
		t.Errorf("a curve beyond the timeout: %+v", a.Curve())
	}
}

// Two bounds far apart, and the target between them: the straight line of
// histogram_quantile would miss the target several times over.
func TestRecommendationMeetsItsTargetInACoarseBucket(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 4 * time.Second})
	dep.Headroom, dep.MaxStep = 0, 100
	a := audit.Assess(audit.Input{Dependency: &dep, At: at,
		Observation: observation(t, []float64{0.1, 1, 10}, []float64{300000, 594000, 600000, 600000})})
	then := a.Then()
	if then == nil {
		t.Fatalf("no recommendation: %+v", a.Recommendation)
	}
	near(t, "false timeouts at the recommended timeout", then.FalseTimeout, dep.TargetFalseTimeoutRatio, 0.25)
}

func TestWhatIfKeepsTheCallsAndNotTheAttempts(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 250 * time.Millisecond, Retries: 1})
	dep.Correlation.Value = 0
	now := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)})
	policy := dep.Policy
	policy.Retries = 0
	then := now.WhatIf(policy)
	near(t, "calls per second", *then.CallsPerSecond, *now.CallsPerSecond, 1e-12)
	near(t, "attempts per second", *then.AttemptsPerSecond, *now.CallsPerSecond, 1e-12)
	near(t, "fallbacks a day", *then.Fallback.PerDay, 0.1**now.CallsPerSecond*86400, 1e-9)
	near(t, "calls in flight", *then.CallsInFlight, *then.CallDuration**now.CallsPerSecond, 1e-12)
	near(t, "unknown outcomes", *then.UnknownOutcomesPerSecond, 0.1**now.CallsPerSecond, 1e-9)
}

// The declaration says recorded: read as it stands, the histogram would give
// another figure for a timeout that nobody changed.
func TestWhatIfReadsTheTimeoutInForceAsItWasRead(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 300 * time.Millisecond, Retries: 1})
	dep.Latency.Timeouts = "recorded"
	now := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)})
	policy := dep.Policy
	policy.Retries = 3
	then := now.WhatIf(policy)
	if *then.FalseTimeout != *now.FalseTimeout {
		t.Errorf("false timeouts %+v under more retries, %+v now", *then.FalseTimeout, *now.FalseTimeout)
	}
	if *then.Amplification == *now.Amplification {
		t.Errorf("amplification %+v under more retries, as now", *then.Amplification)
	}
}

func TestWhatIfKeepsTheErrorsThatAreNoTimeouts(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 250 * time.Millisecond})
	dep.ErrorRatio, dep.ErrorRatioIncludesTimeouts = config.ErrorRatio{Value: 0.13}, true
	now := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)})
	policy := dep.Policy
	policy.Timeout = time.Second
	then := now.WhatIf(policy) // 3% are errors; 10% time out now, 1% then
	near(t, "fallback now", now.Fallback.Ratio.Point, 0.13, 1e-9)
	near(t, "fallback then", then.Fallback.Ratio.Point, 0.04, 1e-9)
}
