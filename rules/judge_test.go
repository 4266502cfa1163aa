package rules_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const holdFor = time.Hour

func dependency() config.Dependency {
	return config.Dependency{
		Name: "checkout-payments", Caller: "checkout", Callee: "payments", Owner: "team-pay",
		Latency: config.Latency{Histogram: "latency_seconds", Kind: "auto", UnitScale: 1, Scope: "attempt", Timeouts: "uncensored"},
		Policy: config.Policy{Timeout: 250 * time.Millisecond, ConnectTimeout: 100 * time.Millisecond, Deadline: 5 * time.Second, Retries: 2, RetryOnTimeout: true,
			Backoff: config.Backoff{Multiplier: 2, Jitter: "none"}, Fallback: "error", Idempotent: new(true)},
		Window: time.Hour, Correlation: config.Correlation{Value: 0.5},
		TargetFalseTimeoutRatio: 0.001, Headroom: 0.1, MaxStep: 2,
	}
}

// seen assesses a window of n calls of which above lie over 0.25 s, and no
// window before it.
func seen(t testing.TB, dep config.Dependency, n, above float64) *audit.Assessment {
	t.Helper()
	window := latency.Window{Scrapes: math.Inf(1)}
	for range 12 {
		h, err := latency.FromCumulative([]float64{0.1, 0.25, 0.5, 1}, []float64{n / 24, (n - above) / 12, n / 12, n / 12, n / 12})
		if err != nil {
			t.Fatal(err)
		}
		window.Parts = append(window.Parts, h)
	}
	p50, p99 := 0.1, 0.25
	return audit.Assess(audit.Input{Dependency: &dep, At: start, Observation: latency.Observation{
		At: start, Window: time.Hour, Now: window, P50: &p50, P99: &p99,
	}})
}

func unseen(dep config.Dependency, status latency.Status) *audit.Assessment {
	return audit.Assess(audit.Input{Dependency: &dep, At: start, Failure: &audit.Failure{Status: status, Message: "nothing came"}})
}

func find(findings []rules.Finding, code string) (rules.Finding, bool) {
	i := slices.IndexFunc(findings, func(f rules.Finding) bool { return f.Rule == code })
	if i < 0 {
		return rules.Finding{}, false
	}
	return findings[i], true
}

// story judges one dependency cycle after cycle.
type story struct {
	t      *testing.T
	memory rules.Memory
	now    time.Time
}

func tell(t *testing.T) *story { return &story{t: t, now: start} }

func (s *story) cycle(after time.Duration, a *audit.Assessment) []rules.Finding {
	s.t.Helper()
	s.now = s.now.Add(after)
	var findings []rules.Finding
	findings, s.memory = rules.Judge(rules.Subjects{Dependencies: []*audit.Assessment{a}}, s.memory, rules.Options{Now: s.now, HoldFor: holdFor})
	return findings
}

const below = "timeout-below-p99"

func TestVerdictFiresHoldsAndClearsByTheCounts(t *testing.T) {
	dep := dependency()
	s := tell(t)
	if _, stands := find(s.cycle(0, seen(t, dep, 12000, 130)), below); stands {
		t.Error("1.1% of 12,000 above T decides nothing, and nothing stood before: no finding")
	}
	first, stands := find(s.cycle(time.Minute, seen(t, dep, 12000, 600)), below)
	if !stands || first.Held != rules.NotHeld || first.Severity != rules.Critical {
		t.Fatalf("5%% above T: %+v, want a critical finding", first)
	}
	if !first.Since.Equal(s.now) || !strings.Contains(first.Message, "250ms") || !strings.Contains(first.Message, "5%") || first.Advice == "" {
		t.Errorf("the finding does not explain itself: %+v", first)
	}
	held, stands := find(s.cycle(time.Minute, seen(t, dep, 12000, 130)), below)
	if !stands || held.Held != rules.HeldUncertain || !held.Since.Equal(first.Since) || !held.Decided.Equal(first.Decided) {
		t.Errorf("1.1%% after 5%%: %+v, want the finding held as uncertain since it began", held)
	}
	if _, stands := find(s.cycle(5*time.Hour, seen(t, dep, 12000, 130)), below); !stands {
		t.Error("undecided data hold the last verdict for as long as they are undecided")
	}
	if _, stands := find(s.cycle(time.Minute, seen(t, dep, 12000, 12)), below); stands {
		t.Error("0.1% above T: want it cleared")
	}
	if _, stands := find(s.cycle(time.Minute, seen(t, dep, 12000, 130)), below); stands {
		t.Error("undecided after a clear verdict: want it to stay clear")
	}
}

func TestUnknownInputHoldsForAnHourAndThenSaysSo(t *testing.T) {
	for _, status := range []latency.Status{latency.StatusNoData, latency.StatusQueryFailed} {
		dep := dependency()
		s := tell(t)
		s.cycle(0, seen(t, dep, 12000, 600))
		held, stands := find(s.cycle(59*time.Minute, unseen(dep, status)), below)
		if !stands || held.Held != rules.HeldUnknown || held.Message == "" {
			t.Errorf("%s for 59m: %+v, want the finding held", status, held)
		}
		if _, stands := find(s.cycle(time.Minute, unseen(dep, status)), rules.VerdictUnknown); stands {
			t.Errorf("%s for exactly hold_for: verdict-unknown comes too early", status)
		}
		findings := s.cycle(time.Minute, unseen(dep, status))
		if _, stands := find(findings, below); stands {
			t.Errorf("%s for longer than hold_for: the old finding still stands", status)
		}
		unknown, stands := find(findings, rules.VerdictUnknown)
		if !stands || !strings.Contains(unknown.Message, "nothing came") {
			t.Errorf("%s for longer than hold_for: %+v, want verdict-unknown that says why", status, unknown)
		}
		if _, stands := find(s.cycle(time.Minute, seen(t, dep, 12000, 12)), rules.VerdictUnknown); stands {
			t.Errorf("%s, then data: verdict-unknown still stands", status)
		}
	}
}

func TestNeverSeenDependencyBecomesUnknownAndNeverFires(t *testing.T) {
	s := tell(t)
	for i := range 3 {
		if findings := s.cycle(30*time.Minute, unseen(dependency(), latency.StatusNoData)); len(findings) != 0 {
			t.Errorf("cycle %d: %+v, want no finding within hold_for", i, findings)
		}
	}
	if findings := s.cycle(30*time.Minute, unseen(dependency(), latency.StatusNoData)); len(findings) != 1 || findings[0].Rule != rules.VerdictUnknown {
		t.Errorf("%+v, want verdict-unknown alone", findings)
	}
}

func TestNewPolicyForgetsTheOldOnesVerdicts(t *testing.T) {
	s := tell(t)
	s.cycle(0, seen(t, dependency(), 12000, 600))
	changed := dependency()
	changed.Policy.Timeout = 500 * time.Millisecond
	if findings := s.cycle(time.Minute, unseen(changed, latency.StatusQueryFailed)); len(findings) != 0 {
		t.Errorf("%+v about a timeout that is no longer declared", findings)
	}
}

func TestRulesByOneAssessment(t *testing.T) {
	for name, tc := range map[string]struct {
		change   func(*config.Dependency)
		n, above float64
		want     []string
	}{
		"comfortable": {n: 12000, above: 0},
		"below p99": {n: 12000, above: 1200,
			want: []string{below, "false-timeout-ratio-high", "fallback-ratio-high"}},
		"retried into a storm": {n: 12000, above: 6000,
			want: []string{below, "false-timeout-ratio-high", "fallback-ratio-high", "amplification-high"}},
		"above the target, at p99": {n: 120000, above: 600,
			want: []string{"false-timeout-ratio-high", "fallback-ratio-high"}},
		"no timeout": {change: func(d *config.Dependency) { d.Policy.Timeout, d.Policy.Deadline = 0, 0 }, n: 12000,
			want: []string{"no-timeout"}},
		"no deadline": {change: func(d *config.Dependency) { d.Policy.Deadline = 0 }, n: 12000,
			want: []string{"no-deadline"}},
		"deadline alone": {change: func(d *config.Dependency) {
			d.Policy.Timeout, d.Policy.Deadline, d.Policy.Retries = 0, 500*time.Millisecond, 0
		}, n: 12000},
		"far above p99": {change: func(d *config.Dependency) { d.Policy.Timeout, d.Policy.Retries = 4*time.Second, 0 }, n: 12000,
			want: []string{"timeout-far-above-p99"}},
		"default returned and uncounted": {change: func(d *config.Dependency) { d.Policy.Fallback = "default" }, n: 12000,
			want: []string{"fallback-uncounted"}},
		"default returned and counted": {change: func(d *config.Dependency) {
			d.Policy.Fallback, d.Observed.Fallbacks = "default", "sum(rate(fallbacks_total[5m]))"
		}, n: 12000},
		"dead per-attempt timeout": {change: func(d *config.Dependency) { d.Policy.Deadline = 250 * time.Millisecond }, n: 12000,
			want: []string{"per-attempt-timeout-dead"}},
		"deadline cuts the last attempt short": {change: func(d *config.Dependency) { d.Policy.Deadline = 600 * time.Millisecond }, n: 12000,
			want: []string{"retries-exceed-deadline"}},
		"retried and not idempotent": {change: func(d *config.Dependency) { d.Policy.Idempotent = new(false) }, n: 12000,
			want: []string{"retry-not-idempotent"}},
		"retried and nothing declared": {change: func(d *config.Dependency) { d.Policy.Idempotent = nil }, n: 12000,
			want: []string{"retry-not-idempotent"}},
		"only errors retried, not idempotent": {change: func(d *config.Dependency) { d.Policy.Idempotent, d.Policy.RetryOnTimeout = nil, false }, n: 12000},
		"no connect timeout": {change: func(d *config.Dependency) { d.Policy.ConnectTimeout = 0 }, n: 12000,
			want: []string{"connect-timeout-missing"}},
		"timeouts not retried": {change: func(d *config.Dependency) { d.Policy.RetryOnTimeout = false }, n: 12000, above: 6000,
			want: []string{below, "false-timeout-ratio-high", "fallback-ratio-high"}},
		"errors alone": {change: func(d *config.Dependency) { d.ErrorRatio.Value = 0.4 }, n: 12000,
			want: []string{"fallback-ratio-high", "amplification-high"}},
		"thin": {n: 100, above: 0},
	} {
		t.Run(name, func(t *testing.T) {
			dep := dependency()
			if tc.change != nil {
				tc.change(&dep)
			}
			var got []string
			for _, f := range tell(t).cycle(0, seen(t, dep, tc.n, tc.above)) {
				got = append(got, f.Rule)
			}
			slices.Sort(got)
			slices.Sort(tc.want)
			if !slices.Equal(got, tc.want) {
				t.Errorf("findings %v, want %v", got, tc.want)
			}
		})
	}
}

func TestConnectTimeoutIsJudgedOnItsOwnHistogram(t *testing.T) {
	for _, tc := range []struct {
		above float64
		want  bool
	}{{0, false}, {1200, true}} {
		a := seen(t, dependency(), 12000, 0)
		connect := seen(t, dependency(), 12000, tc.above)
		a.Connect = connect
		if _, stands := find(tell(t).cycle(0, a), "connect-timeout-below-p99"); stands != tc.want {
			t.Errorf("%v of 12000 connections above the connect timeout: finding stands %t, want %t", tc.above, stands, tc.want)
		}
	}
}

func TestOverridesChangeSeverityAndThresholdAndSwitchOff(t *testing.T) {
	high := 0.2
	assessment := seen(t, dependency(), 12000, 1200)
	findings, _ := rules.Judge(rules.Subjects{Dependencies: []*audit.Assessment{assessment}}, rules.Memory{}, rules.Options{Now: start, HoldFor: holdFor, Overrides: map[string]config.Rule{
		below:                      {Severity: "info"},
		"fallback-ratio-high":      {Threshold: &high},
		"false-timeout-ratio-high": {Severity: "off"},
	}})
	if len(findings) != 1 || findings[0].Rule != below || findings[0].Severity != rules.Info {
		t.Errorf("%+v, want timeout-below-p99 as info alone", findings)
	}
}

func TestFindingsComeWorstFirst(t *testing.T) {
	dep := dependency()
	dep.Policy.Fallback, dep.Policy.Deadline = "cache", 0
	findings := tell(t).cycle(0, seen(t, dep, 12000, 6000))
	if !slices.IsSortedFunc(findings, func(a, b rules.Finding) int { return b.Severity.Compare(a.Severity) }) || findings[0].Rule != below {
		t.Errorf("order %+v", findings)
	}
}

func TestAlertNamesAreTheCodesInCamelCase(t *testing.T) {
	names := map[string]string{}
	for _, rule := range rules.Table() {
		names[rule.Code] = rule.Alert()
	}
	for code, want := range map[string]string{
		"timeout-below-p99": "TimeoutBelowP99", "false-timeout-ratio-high": "FalseTimeoutRatioHigh", "verdict-unknown": "VerdictUnknown",
	} {
		if names[code] != want {
			t.Errorf("%s: alert %s, want %s", code, names[code], want)
		}
	}
}

func TestAdviceStaysWithinWhatCallersAfford(t *testing.T) {
	dep := dependency()
	a := seen(t, dep, 36000, 3600)
	room := func(seconds float64) []audit.Room {
		return []audit.Room{{Seconds: seconds, By: "chain page", Lever: "fewer retries"}}
	}
	for name, tc := range map[string]struct {
		rooms []audit.Room
		want  string
	}{
		"room enough":            {nil, "raise the timeout to 500ms"},
		"room for the step only": {room(0.52), "raise the timeout to 500ms (then 0% are cut off), then towards 520ms"},
		"no room":                {room(0.2), "the timeout can go no higher: fewer retries (chain page leaves an attempt 200ms)"},
	} {
		findings, _ := rules.Judge(rules.Subjects{Dependencies: []*audit.Assessment{a.Within(tc.rooms)}}, rules.Memory{}, rules.Options{Now: start, HoldFor: holdFor})
		f, ok := find(findings, "timeout-below-p99")
		if !ok || !strings.HasPrefix(f.Advice, tc.want) {
			t.Errorf("%s: advice %q, want %q", name, f.Advice, tc.want)
		}
	}
}
