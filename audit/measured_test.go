package audit_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

func some(v float64) *float64 { return &v }

func comparison(t *testing.T, a *audit.Assessment, what string) audit.Comparison {
	t.Helper()
	i := slices.IndexFunc(a.Comparisons, func(c audit.Comparison) bool { return c.What == what })
	if i < 0 {
		t.Fatalf("no comparison of %q in %+v", what, a.Comparisons)
	}
	return a.Comparisons[i]
}

// A public report: the mesh sends 5264.6 calls a second and 3350.9 are answered,
// with a p99 of 197 ms. The percentile says nothing about the 36.35% that left
// no sample.
func TestCallsThatVanishDifferFromWhatThePercentileSays(t *testing.T) {
	const sent, answered = 5264.6 * 3600, 3350.9 * 3600
	o := observation(t, []float64{0.1, 0.15, 0.2, 0.5, 1}, []float64{answered / 2, answered * 0.95, answered * 0.9905, answered * 0.9999, answered, answered})
	o.Observed.Attempts = some(sent)
	dep := dependency(config.Policy{Timeout: time.Second})
	dep.Latency.Timeouts = "auto"
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: o})
	c := comparison(t, a, "attempts without a latency sample")
	near(t, "vanished", c.Measured.Point, 0.3635, 1e-3)
	if !c.Differs() {
		t.Errorf("measured %+v beside predicted %+v does not differ", c.Measured, c.Predicted)
	}
}

func TestCountedTimeoutsAreTheHeadlineAndStandBesideTheHistograms(t *testing.T) {
	o := observation(t, bounds, counts) // 10% above 0.25 s
	o.Observed.Attempts, o.Observed.Timeouts = some(36000), some(3650)
	dep := dependency(config.Policy{Timeout: 250 * time.Millisecond})
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: o})
	near(t, "measured ratio", *a.ObservedRatio, 3650./36000, 1e-9)
	c := comparison(t, a, "attempts that time out")
	if c.Differs() {
		t.Errorf("3,650 counted beside 3,600 in the buckets differs: %+v", c)
	}
	o.Observed.Timeouts = some(10800)
	a = audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: o})
	if c := comparison(t, a, "attempts that time out"); !c.Differs() {
		t.Errorf("30%% counted beside 10%% in the buckets does not differ: %+v", c)
	}
}

func TestFewLostAttemptsProveNothing(t *testing.T) {
	o := observation(t, bounds, counts)
	o.Observed.Attempts = some(36000 * 1.04)
	a := audit.Assess(audit.Input{Dependency: new(dependency(config.Policy{Timeout: 5 * time.Second})), At: at, Observation: o})
	if len(a.Comparisons) != 0 {
		t.Errorf("4%% fewer samples than attempts is the clocks of two counters: %+v", a.Comparisons)
	}
}

func TestRetriesNobodyDeclaredDiffer(t *testing.T) {
	o := observation(t, bounds, counts)
	o.Observed.Calls = some(36000)
	dep := dependency(config.Policy{Timeout: 5 * time.Second, Retries: 2})
	for _, tc := range []struct {
		retries float64
		differs bool
	}{{0, false}, {20, false}, {7200, true}} {
		o.Observed.Retries = some(tc.retries)
		a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: o})
		if c := comparison(t, a, "retries per call"); c.Differs() != tc.differs {
			t.Errorf("%v retries: differs %t, want %t: %+v", tc.retries, c.Differs(), tc.differs, c)
		}
	}
}

func TestAWrongCorrelationAloneNeverDiffers(t *testing.T) {
	o := observation(t, bounds, counts)
	p, calls := 0.1, 30000.0
	o.Observed.Calls = &calls
	dep := dependency(config.Policy{Timeout: 250 * time.Millisecond, Retries: 1})
	for _, rho := range []float64{0, 0.5, 1} {
		o.Observed.Fallbacks = some(calls * (rho*p + (1-rho)*p*p))
		a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: o})
		if c := comparison(t, a, "calls that end in a fallback"); c.Differs() {
			t.Errorf("true correlation %v beside the configured 0.5 differs: %+v", rho, c)
		}
	}
	o.Observed.Fallbacks = some(calls * 0.3)
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: o})
	if c := comparison(t, a, "calls that end in a fallback"); !c.Differs() {
		t.Errorf("30%% of calls end in a fallback, more than any correlation explains: %+v", c)
	}
}

func TestCorrelationComesFromTheBestSourceThereIs(t *testing.T) {
	calls := 36000.0
	// rho 0.8 at q = 0.1 and two attempts (docs/model.md §7).
	retries, exhausted := calls*0.1, calls*(0.8*0.1+0.2*0.01)
	counted := func(o latency.Observation) latency.Observation {
		o.Observed.Calls, o.Observed.Retries, o.Observed.Fallbacks = &calls, &retries, &exhausted
		return o
	}
	auto := config.Correlation{Auto: true, Value: 0.5}
	steady := observation(t, bounds, counts)
	for name, tc := range map[string]struct {
		correlation config.Correlation
		policy      config.Policy
		o           latency.Observation
		source      string
		value       float64
	}{
		"a number is taken":          {config.Correlation{Value: 0.3}, config.Policy{Retries: 1}, counted(steady), audit.SourceConfigured, 0.3},
		"nothing known":              {auto, config.Policy{Retries: 1}, steady, audit.SourceDefault, 0.5},
		"counters":                   {auto, config.Policy{Retries: 1}, counted(steady), audit.SourceCounters, 0.8},
		"a budget denies retries":    {auto, config.Policy{Retries: 1, RetryBudget: some(0.1)}, counted(steady), audit.SourceDefault, 0.5},
		"the deadline cuts attempts": {auto, config.Policy{Retries: 1, Deadline: 300 * time.Millisecond}, counted(steady), audit.SourceDefault, 0.5},
		"episodes show":              {auto, config.Policy{Retries: 1}, episodes(t), audit.SourceWindows, 0.816},
	} {
		tc.policy.Timeout = 250 * time.Millisecond
		dep := dependency(tc.policy)
		dep.Correlation = tc.correlation
		a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: tc.o})
		if a.Correlation.Source != tc.source {
			t.Errorf("%s: source %s, want %s", name, a.Correlation.Source, tc.source)
		}
		near(t, name, a.Correlation.Value, tc.value, 0.02)
	}
}

// episodes has five parts in which 90% of 3,000 calls are slow, and seven in
// which 1% are: what a shared slow episode does.
func episodes(t *testing.T) latency.Observation {
	t.Helper()
	window := latency.Window{Scrapes: math.Inf(1)}
	for i := range 12 {
		slow := 30.0
		if i%2 == 1 && i < 11 {
			slow = 2700
		}
		h, err := latency.FromCumulative([]float64{0.1, 0.25, 1}, []float64{200, 3000 - slow, 3000, 3000})
		if err != nil {
			t.Fatal(err)
		}
		window.Parts = append(window.Parts, h)
	}
	p50, p99 := 0.1, 0.9
	return latency.Observation{At: at, Window: time.Hour, Now: window, P50: &p50, P99: &p99}
}

func TestOneSlowReplicaIsToldFromChanceAndFromTheFleet(t *testing.T) {
	replica := func(name string, n, above float64) latency.Replica {
		h, err := latency.FromCumulative([]float64{0.1, 0.25, 1}, []float64{n / 2, n - above, n, n})
		if err != nil {
			t.Fatal(err)
		}
		return latency.Replica{Name: name, Histogram: h, Scrapes: math.Inf(1)}
	}
	// A public simulation: healthy replicas at 0.44% to 0.53%, one at 2.4%.
	o := observation(t, []float64{0.1, 0.25, 1}, []float64{18000, 35730, 36000, 36000})
	for name, tc := range map[string]struct {
		replicas []latency.Replica
		want     latency.Verdict
	}{
		"one slow":            {[]latency.Replica{replica("a", 12000, 53), replica("b", 12000, 60), replica("c", 12000, 288)}, latency.VerdictAbove},
		"all alike":           {[]latency.Replica{replica("a", 12000, 90), replica("b", 12000, 85), replica("c", 12000, 95)}, latency.VerdictBelow},
		"slow in few calls":   {[]latency.Replica{replica("a", 12000, 53), replica("b", 60, 2)}, latency.VerdictUncertain},
		"twice is not enough": {[]latency.Replica{replica("a", 12000, 53), replica("b", 12000, 180)}, latency.VerdictBelow},
		"an idle one":         {[]latency.Replica{replica("a", 12000, 53), replica("b", 0, 0)}, latency.VerdictBelow},
		"no replicas":         {nil, latency.VerdictBelow},
	} {
		o.Replicas = tc.replicas
		a := audit.Assess(audit.Input{Dependency: new(dependency(config.Policy{Timeout: 250 * time.Millisecond})), At: at, Observation: o})
		if got := a.CompareReplicas(); got != tc.want {
			t.Errorf("%s: verdict %s, want %s: %+v", name, got, tc.want, a.Replicas)
		}
	}
}
