package audit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// hops of a chain, called one after another.
func hops(names ...string) []config.Hop {
	var list []config.Hop
	for _, name := range names {
		list = append(list, config.Hop{Dependency: name})
	}
	return list
}

// audited gives each name a p99, and a timeout with retries.
func audited(t *testing.T, p99 map[string]float64, policy config.Policy) map[string]*audit.Assessment {
	t.Helper()
	found := map[string]*audit.Assessment{}
	for name, p := range p99 {
		o := observation(t, bounds, counts)
		o.P99 = &p
		dep := dependency(policy)
		dep.Name = name
		found[name] = audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: o})
	}
	return found
}

// The worked example: a deadline of 2 s, four hops with one retry each, 5 ms of
// overhead. Each attempt's share is 245 ms, one call becomes 16 at worst, and
// the first lever is fewer retries.
func TestFourHopChainOfTheWorkedExample(t *testing.T) {
	chain := config.Chain{Name: "page", Deadline: 2 * time.Second, Overhead: 5 * time.Millisecond,
		Hops: []config.Hop{{Dependency: "a", Nested: []config.Hop{{Dependency: "b", Nested: []config.Hop{{Dependency: "c", Nested: hops("d")}}}}}}}
	nested := audit.AssessChain(chain, audited(t, map[string]float64{"a": 0.2, "b": 0.15, "c": 0.1, "d": 0.05},
		config.Policy{Timeout: 5 * time.Second, Retries: 1}), at)
	near(t, "share of an attempt", nested.Share, 0.245, 1e-12)
	if nested.WorstCase != 16 {
		t.Errorf("worst case %v, want 16", nested.WorstCase)
	}
	var worst []float64
	for _, hop := range nested.Hops {
		worst = append(worst, hop.WorstCase)
	}
	if !slices.Equal(worst, []float64{2, 4, 8, 16}) {
		t.Errorf("worst case by depth %v", worst)
	}
	// Nested p99s are never added: only a's own attempts count.
	near(t, "needed", nested.Needed, 2*(2*0.2+0.005), 1e-12)

	chain.Hops = hops("a", "b", "c", "d")
	inOrder := audit.AssessChain(chain, audited(t, map[string]float64{"a": 0.3, "b": 0.2, "c": 0.2, "d": 0.1},
		config.Policy{Timeout: 5 * time.Second, Retries: 1}), at)
	near(t, "share of an attempt", inOrder.Share, 0.245, 1e-12)
	near(t, "needed", inOrder.Needed, 2*(2*0.8+4*0.005), 1e-12)
	if over, known := inOrder.OverBudget(); !over || !known {
		t.Errorf("over %t known %t", over, known)
	}
	if !strings.HasPrefix(inOrder.Lever, "fewer retries") {
		t.Errorf("lever %q, want fewer retries first", inOrder.Lever)
	}
}

func TestLeversInOrder(t *testing.T) {
	single := config.Policy{Timeout: 5 * time.Second}
	chain := config.Chain{Name: "page", Deadline: 2 * time.Second, Overhead: 5 * time.Millisecond, Hops: hops("a", "b")}
	for name, tc := range map[string]struct {
		p99   map[string]float64
		retry int
		want  string
	}{
		"fits":              {map[string]float64{"a": 0.3, "b": 0.2}, 0, ""},
		"fewer retries":     {map[string]float64{"a": 0.3, "b": 0.3}, 1, "fewer retries"},
		"a faster hop":      {map[string]float64{"a": 0.9, "b": 0.2}, 0, "no retries below the edge and a faster hop: a (p99 900ms) may take up to 795ms"},
		"not fifty times":   {map[string]float64{"a": 0.9, "b": 0.88}, 0, "fewer hops, or a longer deadline"},
		"nothing of it all": {map[string]float64{"a": 1.2, "b": 1.1}, 0, "fewer hops, or a longer deadline: it needs 4.61s"},
	} {
		policy := single
		policy.Retries = tc.retry
		c := audit.AssessChain(chain, audited(t, tc.p99, policy), at)
		if !strings.HasPrefix(c.Lever, tc.want) || tc.want == "" && c.Lever != "" {
			t.Errorf("%s: lever %q, want %q", name, c.Lever, tc.want)
		}
	}
}

func TestParallelGroupCountsItsSlowest(t *testing.T) {
	chain := config.Chain{Name: "page", Deadline: 2 * time.Second, Overhead: 5 * time.Millisecond, Edge: 40 * time.Millisecond,
		Hops: []config.Hop{{Dependency: "a"}, {Parallel: hops("b", "c")}, {Dependency: "d"}}}
	c := audit.AssessChain(chain, audited(t, map[string]float64{"a": 0.3, "b": 0.2, "c": 0.4, "d": 0.005}, config.Policy{Timeout: 5 * time.Second}), at)
	near(t, "needed", c.Needed, 0.04+(0.6+0.005)+(0.8+0.005)+(0.01+0.005), 1e-12)
	for i, want := range []float64{1.96, 1.655, 1.655, 1.25} {
		near(t, c.Hops[i].Dependency+" has left", *c.Hops[i].Remaining, want, 1e-12)
	}
}

func TestHopWithoutDataLeavesBoundsAndNoVerdictOfFine(t *testing.T) {
	known := audited(t, map[string]float64{"a": 0.3}, config.Policy{Timeout: 5 * time.Second})
	known["b"] = audit.Assess(audit.Input{Dependency: new(config.Dependency{Name: "b"}), At: at,
		Failure: &audit.Failure{Status: latency.StatusNoData, Message: "no series"}})
	chain := config.Chain{Name: "page", Deadline: 2 * time.Second, Hops: hops("a", "b", "a")}
	c := audit.AssessChain(chain, known, at)
	if over, sure := c.OverBudget(); over || sure {
		t.Errorf("over %t known %t, want unknown", over, sure)
	}
	if !slices.Equal(c.Unknown, []string{"b"}) || c.Amplification != nil {
		t.Errorf("unknown %v amplification %v", c.Unknown, c.Amplification)
	}
	if c.Hops[0].Remaining == nil || c.Hops[1].Remaining == nil || c.Hops[2].Remaining != nil {
		t.Errorf("what is left behind an unknown hop is not known: %+v", c.Hops)
	}
	chain.Deadline = 500 * time.Millisecond
	if over, sure := audit.AssessChain(chain, known, at).OverBudget(); !over || !sure {
		t.Errorf("over %t known %t, want over: the known hops alone need more", over, sure)
	}
}

func TestInnerCallThatOutlivesItsCallerIsAnInversion(t *testing.T) {
	p99 := map[string]float64{"a": 0.2, "b": 0.1}
	found := audited(t, p99, config.Policy{Timeout: time.Second, Retries: 1})
	chain := config.Chain{Name: "page", Deadline: 5 * time.Second, Hops: []config.Hop{{Dependency: "a", Nested: hops("b")}}}
	c := audit.AssessChain(chain, found, at)
	if len(c.Inversions) != 1 || c.Inversions[0].Dependency != "b" || c.Inversions[0].Caller != "a" || c.Inversions[0].Longest != 2 || c.Inversions[0].Left != 1 {
		t.Errorf("inversions %+v, want b's 2s inside a's 1s", c.Inversions)
	}
	b := found["b"]
	b.Dependency.Policy.DeadlinePropagated = true
	found["b"] = b
	if c := audit.AssessChain(chain, found, at); len(c.Inversions) != 0 {
		t.Errorf("a deadline that travels with the call ends it in time: %+v", c.Inversions)
	}
	chain = config.Chain{Name: "page", Deadline: 1500 * time.Millisecond, Hops: hops("a")}
	if c := audit.AssessChain(chain, found, at); len(c.Inversions) != 1 || c.Inversions[0].Caller != "" {
		t.Errorf("inversions %+v, want a's 2s against the entry's 1.5s", c.Inversions)
	}
}
