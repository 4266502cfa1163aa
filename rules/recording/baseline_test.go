package recording_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
	"github.com/timeout-auditor/timeout-auditor/rules/recording"
)

// quantiles is a dependency whose p50 and p99 are given.
func quantiles(name string, p50, p99 float64, policy config.Policy) config.Dependency {
	text := func(x float64) string { return "vector(" + strconv.FormatFloat(x, 'g', -1, 64) + ")" }
	if policy.Fallback == "" {
		policy.Fallback = "error"
	}
	return config.Dependency{
		Name: name, Caller: "checkout", Callee: name, Owner: "team-pay", Window: time.Hour,
		Latency: config.Latency{
			Kind: "auto", UnitScale: 1, Scope: "attempt", Timeouts: "auto",
			Quantiles: []config.Quantile{{P: 0.5, Query: text(p50)}, {P: 0.99, Query: text(p99)}},
		},
		Policy:      policy,
		Correlation: config.Correlation{Value: 0.5},
	}
}

// assessed is what the auditor makes of a dependency with given quantiles.
func assessed(dep config.Dependency, points ...latency.QuantilePoint) *audit.Assessment {
	p50, p99 := points[0].Seconds, points[len(points)-1].Seconds
	return audit.Assess(audit.Input{Dependency: &dep, Observation: latency.Observation{
		QuantilesOnly: true, Quantiles: points, P50: &p50, P99: &p99, Window: dep.Window, ErrorRatio: &dep.ErrorRatio.Value,
	}})
}

// combination is one dependency and what the auditor says about it.
type combination struct {
	dep  config.Dependency
	want *audit.Assessment
}

// grid is many medians, spreads and timeouts: p from 1e-300 up to almost 1.
func grid() []combination {
	var all []combination
	for _, p50 := range []float64{0.00005, 0.18, 120} {
		for _, spread := range []float64{1.0003, 1.05, 1.5, 2.4, 7.7, 40, 900} {
			for _, factor := range []float64{0.2, 0.9, 1, 1.0001, 1.01, 1.3, 2, 3.7, 6, 11, 40, 500} {
				timeout := time.Duration(p50 * factor * 1e9)
				dep := quantiles(fmt.Sprintf("%g-%g-%g", p50, spread, factor), p50, p50*spread, config.Policy{Timeout: timeout, Retries: 2, RetryOnTimeout: true})
				all = append(all, combination{dep, assessed(dep,
					latency.QuantilePoint{P: 0.5, Seconds: p50}, latency.QuantilePoint{P: 0.99, Seconds: p50 * spread})})
			}
		}
	}
	return all
}

func TestRealPrometheusAgreesWithTheAuditorOnTails(t *testing.T) {
	combinations := grid()
	cfg := &config.Config{}
	for _, c := range combinations {
		cfg.Dependencies = append(cfg.Dependencies, c.dep)
	}
	got := evaluate(t, cfg).values(t, recording.FalseTimeoutRatio)
	var worst, deep float64
	compared := 0
	for _, c := range combinations {
		want := *c.want.LognormalRatio
		p, ok := got[c.dep.Name]
		if !ok {
			t.Errorf("%s: nothing recorded, want %g", c.dep.Name, want)
			continue
		}
		e := math.Abs(p/want - 1)
		switch {
		case want >= 1e-4:
			worst = max(worst, e)
			compared++
		case want > 1e-300:
			deep = max(deep, e)
		case p > 1e-300:
			t.Errorf("%s: p = %g, want %g", c.dep.Name, p, want)
		}
	}
	t.Logf("p ≥ 1e-4: %d of %d combinations, largest relative error %.2g; 1e-300 < p < 1e-4: %.2g", compared, len(combinations), worst, deep)
	if worst > 1.1e-6 || deep > 1e-5 || compared < 100 {
		t.Error("that is more than docs/recording-rules.md states")
	}
}

// policies are calls with retries, deadlines and budgets of all kinds.
func policies() []config.Dependency {
	budget, none := 0.01, 0.0
	deps := []config.Dependency{}
	add := func(policy config.Policy, e, rho float64) {
		dep := quantiles(fmt.Sprintf("policy-%d", len(deps)), 0.18, 1.4, policy)
		dep.ErrorRatio.Value, dep.Correlation.Value = e, rho
		deps = append(deps, dep)
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for _, retries := range []int{0, 1, 2, 60} {
		for _, e := range []float64{0, 0.004, 1} {
			for _, rho := range []float64{0, 0.5, 1} {
				for _, onTimeout := range []bool{true, false} {
					add(config.Policy{Timeout: ms(500), Retries: retries, RetryOnTimeout: onTimeout}, e, rho)
					add(config.Policy{Timeout: ms(1500), Retries: retries, RetryOnTimeout: onTimeout, RetryBudget: &budget}, e, rho)
					add(config.Policy{Timeout: ms(1500), Retries: retries, RetryOnTimeout: onTimeout, RetryBudget: &none}, e, rho)
					add(config.Policy{Timeout: ms(500), Deadline: ms(1700), Retries: retries, RetryOnTimeout: onTimeout,
						Backoff: config.Backoff{Initial: ms(20), Multiplier: 2, Max: ms(100)}}, e, rho)
					add(config.Policy{Timeout: ms(900), Deadline: ms(800), Retries: retries, RetryOnTimeout: onTimeout}, e, rho)
				}
			}
		}
	}
	return deps
}

// worstEnds is the auditor's arithmetic at both ends of how long errors take.
func worstEnds(dep config.Dependency) (fallback retry.Fallback, amplification float64, exact bool) {
	a := audit.Assess(audit.Input{Dependency: &dep, Failure: &audit.Failure{}})
	l, err := latency.FitQuantiles(latency.QuantilePoint{P: 0.5, Seconds: 0.18}, latency.QuantilePoint{P: 0.99, Seconds: 1.4})
	if err != nil {
		panic(err)
	}
	survivals := func(timeouts []float64) []float64 {
		ratios := make([]float64, len(timeouts))
		for i, timeout := range timeouts {
			ratios[i] = l.Survival(timeout)
		}
		return ratios
	}
	o := a.Effective.Outcome(survivals(a.Effective.Timeouts))
	o.E, o.Correlation = min(dep.ErrorRatio.Value, 1-o.P[0]), dep.Correlation.Value
	amplification = retry.Amplification(o)
	rows := a.Effective.AfterErrors(a.Limit)
	for _, row := range rows {
		o.AfterErrors = append(o.AfterErrors, survivals(row))
	}
	return retry.FallbackRatio(o), amplification, rows == nil && a.Effective.Attempts == a.Effective.WorstCase
}

func TestRealPrometheusAgreesWithTheAuditorOnCalls(t *testing.T) {
	cfg := &config.Config{Dependencies: policies()}
	recorded := evaluate(t, cfg)
	fallbacks := map[string]map[string]float64{}
	for _, cause := range []string{"timeout", "error", "mixed"} {
		fallbacks[cause] = recorded.values(t, recording.FallbackRatio+`{cause="`+cause+`"}`)
	}
	amplifications := recorded.values(t, recording.Amplification)
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-5*want+1e-15 }
	exactly := 0
	for _, dep := range cfg.Dependencies {
		want, amplification, exact := worstEnds(dep)
		a, known := amplifications[dep.Name]
		if exact {
			exactly++
		}
		total := fallbacks["timeout"][dep.Name] + fallbacks["error"][dep.Name] + fallbacks["mixed"][dep.Name]
		if total < want.Total()*(1-1e-5)-1e-15 {
			t.Errorf("%+v e=%g rho=%g: fallback %v is below the auditor's %v", dep.Policy, dep.ErrorRatio.Value, dep.Correlation.Value, total, want.Total())
		}
		for cause, ratio := range map[string]float64{"timeout": want.Timeout, "error": want.Error, "mixed": want.Mixed} {
			got, ok := fallbacks[cause][dep.Name]
			limit := dep.Policy.RetryBudget == nil || exact // a budget shares by the larger need
			if !ok || limit && !near(got, ratio) {
				t.Errorf("%+v e=%g rho=%g: fallback by %s %v, want %v", dep.Policy, dep.ErrorRatio.Value, dep.Correlation.Value, cause, got, ratio)
			}
		}
		if !known || exact && !near(a, amplification) || a < amplification*(1-1e-6) {
			t.Errorf("%+v e=%g rho=%g: amplification %v, want %v", dep.Policy, dep.ErrorRatio.Value, dep.Correlation.Value, a, amplification)
		}
	}
	t.Logf("%d policies, %d without a deadline that cuts", len(cfg.Dependencies), exactly)
}
