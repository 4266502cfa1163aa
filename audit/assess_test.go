package audit_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// observation spreads cumulative counts evenly over the window's twelve parts,
// and gives the window before the same.
func observation(t testing.TB, bounds, cumulative []float64) latency.Observation {
	t.Helper()
	const parts = 12
	window := latency.Window{Scrapes: math.Inf(1)} // nothing extrapolated: counts are honest as they are
	for range parts {
		share := slices.Clone(cumulative)
		for i := range share {
			share[i] /= parts
		}
		h, err := latency.FromCumulative(bounds, share)
		if err != nil {
			t.Fatal(err)
		}
		window.Parts = append(window.Parts, h)
	}
	whole, err := window.Merged()
	if err != nil {
		t.Fatal(err)
	}
	p50, _ := whole.Quantile(0.5)
	p99, _ := whole.Quantile(0.99)
	return latency.Observation{At: at, Window: time.Hour, Now: window, Before: window, P50: &p50, P99: &p99}
}

func dependency(policy config.Policy) config.Dependency {
	policy.RetryOnTimeout = true
	return config.Dependency{
		Name: "checkout-payments", Caller: "checkout", Callee: "payments", Owner: "team-pay",
		Latency: config.Latency{Histogram: "latency_seconds", Kind: "auto", UnitScale: 1, Scope: "attempt", Timeouts: "uncensored"},
		Policy:  policy, Window: time.Hour, Correlation: config.Correlation{Value: 0.5},
		TargetFalseTimeoutRatio: 0.001, Headroom: 0.1, MaxStep: 2,
	}
}

var (
	bounds = []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10}
	// 36,000 calls: 10% above 0.25 s, 1% above 1 s, none above 5 s.
	counts = []float64{18000, 32400, 34200, 35640, 35964, 36000, 36000, 36000}
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestFalseTimeoutRatioIsCountedWhereTheTimeoutIsABound(t *testing.T) {
	a := audit.Assess(audit.Input{Dependency: new(dependency(config.Policy{Timeout: 250 * time.Millisecond, Retries: 2})), At: at,
		Observation: observation(t, bounds, counts)})
	if a.Status != latency.StatusOK {
		t.Fatalf("status %s %v (%s), want ok", a.Status, a.Reasons, a.Detail)
	}
	near(t, "false-timeout ratio", a.FalseTimeout.Point, 0.1, 1e-12)
	if a.FalseTimeout.Lower >= 0.1 || a.FalseTimeout.Upper <= 0.1 {
		t.Errorf("bracket %v to %v does not hold 0.1", a.FalseTimeout.Lower, a.FalseTimeout.Upper)
	}
	// By hand (docs/model.md §5): rho p + (1 − rho) p³ and 1 + Σ[rho q + (1 − rho) qᵏ].
	near(t, "fallback ratio", a.Fallback.Ratio.Point, 0.5*0.1+0.5*0.001, 1e-9)
	near(t, "amplification", a.Amplification.Point, 1+(0.5*0.1+0.5*0.1)+(0.5*0.1+0.5*0.01), 1e-9)
	near(t, "attempts per second", *a.AttemptsPerSecond, 10, 1e-9)
	near(t, "fallbacks a day", *a.Fallback.PerDay, 0.0505*10/a.Amplification.Point*86400, 1e-9)
	if a.WorstCase != 3 {
		t.Errorf("worst case %d attempts, want 3", a.WorstCase)
	}
	for what, verdict := range map[string]latency.Verdict{
		"false timeouts at 1%":   a.CompareFalseTimeout(0.01),
		"fallback at 0.1%":       a.CompareFallback(0.001),
		"amplification at 1.1":   a.CompareAmplification(1.1),
		"T/p99 below one":        flip(a.CompareTimeoutToP99(1)),
		"not amplified by 2":     flip(a.CompareAmplification(2)),
		"no fallback in a third": flip(a.CompareFallback(1. / 3)),
	} {
		if verdict != latency.VerdictAbove {
			t.Errorf("%s: verdict %s", what, verdict)
		}
	}
}

func flip(v latency.Verdict) latency.Verdict {
	switch v {
	case latency.VerdictAbove:
		return latency.VerdictBelow
	case latency.VerdictBelow:
		return latency.VerdictAbove
	}
	return v
}

func TestComfortableTimeoutClearsEveryRatio(t *testing.T) {
	a := audit.Assess(audit.Input{Dependency: new(dependency(config.Policy{Timeout: 5 * time.Second, Retries: 1})), At: at,
		Observation: observation(t, bounds, counts)})
	for what, verdict := range map[string]latency.Verdict{
		"false timeouts": a.CompareFalseTimeout(0.01),
		"fallback":       a.CompareFallback(0.001),
		"amplification":  a.CompareAmplification(1.2),
	} {
		if verdict != latency.VerdictBelow {
			t.Errorf("%s: verdict %s, want below", what, verdict)
		}
	}
	if a.Band != retry.BandOf(*a.TimeoutP99Ratio) || *a.TimeoutP99Ratio < 4.9 {
		t.Errorf("band %s at T/p99 = %v", a.Band, *a.TimeoutP99Ratio)
	}
	if a.Recommendation == nil || a.Recommendation.Target == nil {
		t.Fatalf("no recommendation: %+v", a.Recommendation)
	}
	// 36 of 36,000 lie above 2.5 s: the 0.999 quantile is the bound itself.
	near(t, "recommended timeout", *a.Recommendation.Target, 2.5*1.1, 1e-9)
}

func TestRecommendationStepsAtMostMaxStepAway(t *testing.T) {
	a := audit.Assess(audit.Input{Dependency: new(dependency(config.Policy{Timeout: 250 * time.Millisecond})), At: at,
		Observation: observation(t, bounds, counts)})
	near(t, "target", *a.Recommendation.Target, 2.75, 1e-9)
	near(t, "step", *a.Recommendation.Step, 0.5, 1e-9)
}

func TestErrorsThatNoTimeoutMendsAreAboveAtOnce(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 10 * time.Second, Retries: 1})
	dep.ErrorRatio = config.ErrorRatio{Value: 0.1}
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)})
	if v := a.CompareFallback(0.001); v != latency.VerdictAbove {
		t.Errorf("fallback with 10%% errors: verdict %s, want above", v)
	}
	if a.Fallback.Cause.Error < a.Fallback.Cause.Timeout {
		t.Errorf("cause %+v, want errors to lead", a.Fallback.Cause)
	}
}

func TestErrorRatioThatIncludesTimeoutsCountsThemOnce(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 250 * time.Millisecond})
	dep.ErrorRatio, dep.ErrorRatioIncludesTimeouts = config.ErrorRatio{Value: 0.12}, true
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)})
	near(t, "fallback ratio", a.Fallback.Ratio.Point, 0.12, 1e-9)
}

func TestQueriedErrorRatioWinsOverTheConfiguredOne(t *testing.T) {
	o := observation(t, bounds, counts)
	queried := 0.03
	dep := dependency(config.Policy{Timeout: time.Second})
	dep.ErrorRatio.Query = "sum(rate(errors_total[1h])) / sum(rate(calls_total[1h]))"
	o.ErrorRatio = &queried
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: o})
	if a.ErrorRatio == nil || *a.ErrorRatio != queried {
		t.Errorf("error ratio %v, want %v", a.ErrorRatio, queried)
	}
	o.ErrorRatio = nil
	a = audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: o})
	if a.ErrorRatio != nil || a.Fallback != nil || a.Amplification != nil || a.FalseTimeout == nil {
		t.Errorf("without an answer: errors %v fallback %v amplification %v false timeouts %v", a.ErrorRatio, a.Fallback, a.Amplification, a.FalseTimeout)
	}
	if v := a.CompareFallback(0); v != latency.VerdictUncertain {
		t.Errorf("fallback verdict %s without an error ratio", v)
	}
}

func TestWithoutATimeoutNothingIsCutOff(t *testing.T) {
	a := audit.Assess(audit.Input{Dependency: new(dependency(config.Policy{})), At: at, Observation: observation(t, bounds, counts)})
	if a.Limit != 0 || a.FalseTimeout == nil || *a.FalseTimeout != (audit.Estimate{}) {
		t.Errorf("limit %v, false timeouts %+v, want none", a.Limit, a.FalseTimeout)
	}
	if a.P99 == nil || a.TimeoutP99Ratio != nil || a.Recommendation != nil {
		t.Errorf("p99 %v, T/p99 %v, recommendation %v", a.P99, a.TimeoutP99Ratio, a.Recommendation)
	}
}

func TestCallHistogramIsJudgedAgainstTheDeadline(t *testing.T) {
	dep := dependency(config.Policy{Timeout: 100 * time.Millisecond, Deadline: time.Second, Retries: 2})
	dep.Latency.Scope = "call"
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)})
	if a.Limit != 1 || !slices.Contains(a.Reasons, latency.ReasonCallScope) {
		t.Errorf("limit %v reasons %v, want the deadline and call-scope", a.Limit, a.Reasons)
	}
	near(t, "calls over the deadline", a.FalseTimeout.Point, 0.01, 1e-9)
	near(t, "fallback ratio", a.Fallback.Ratio.Point, 0.01, 1e-9)
	if a.Amplification != nil || a.AttemptsPerSecond != nil {
		t.Error("a histogram of whole calls says nothing about attempts")
	}
}

func TestDeadlineThatCutsTheRetryShortRaisesItsRatio(t *testing.T) {
	whole := dependency(config.Policy{Timeout: time.Second, Retries: 1})
	cut := dependency(config.Policy{Timeout: time.Second, Retries: 1, Deadline: 1250 * time.Millisecond})
	o := observation(t, bounds, counts)
	free := audit.Assess(audit.Input{Dependency: &whole, At: at, Observation: o})
	short := audit.Assess(audit.Input{Dependency: &cut, At: at, Observation: o})
	if short.Fallback.Ratio.Point <= free.Fallback.Ratio.Point {
		t.Errorf("fallback %v under a deadline that leaves the retry 250 ms, %v without", short.Fallback.Ratio.Point, free.Fallback.Ratio.Point)
	}
}

func TestUnknownDependencyHasNoFigures(t *testing.T) {
	a := audit.Assess(audit.Input{Dependency: new(dependency(config.Policy{Timeout: time.Second})), At: at, Failure: &audit.Failure{
		Status: latency.StatusNoData, Reason: latency.ReasonNoHistogram, Message: "no such metric",
	}})
	if a.Known() || a.Detail != "no such metric" || !slices.Equal(a.Reasons, []latency.Reason{latency.ReasonNoHistogram}) {
		t.Errorf("status %s reasons %v detail %q", a.Status, a.Reasons, a.Detail)
	}
	if a.FalseTimeout != nil || a.Fallback != nil || a.Amplification != nil || a.P99 != nil || a.Tail != nil || a.Recommendation != nil {
		t.Errorf("figures without data: %+v", a)
	}
	if v := a.CompareFallback(0.001); v != latency.VerdictUncertain {
		t.Errorf("fallback verdict %s without data", v)
	}
}

func TestPredictionsNeverFallWhenTheRatioRises(t *testing.T) {
	o := observation(t, bounds, counts)
	last := math.Inf(1)
	for _, timeout := range []time.Duration{50, 100, 200, 250, 400, 500, 900, 1000, 2500, 5000, 20000} {
		a := audit.Assess(audit.Input{Dependency: new(dependency(config.Policy{Timeout: timeout * time.Millisecond, Retries: 3})), At: at, Observation: o})
		if a.FalseTimeout.Point > last+1e-12 {
			t.Errorf("a longer timeout of %v raises p to %v", timeout*time.Millisecond, a.FalseTimeout.Point)
		}
		last = a.FalseTimeout.Point
		for what, e := range map[string]audit.Estimate{"p": *a.FalseTimeout, "F": a.Fallback.Ratio, "A": *a.Amplification} {
			if !(e.Lower <= e.Point && e.Point <= e.Upper) {
				t.Errorf("timeout %v: %s = %v lies outside %v to %v", timeout*time.Millisecond, what, e.Point, e.Lower, e.Upper)
			}
		}
	}
}
