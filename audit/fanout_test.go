package audit_test

import (
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// Three equal calls at once: their slowest exceeds what one of them exceeds with
// probability 1 − 0.99^(1/3).
func TestSlowestOfAFanOutHasAHigherP99(t *testing.T) {
	known := audited(t, map[string]float64{"a": 0.3, "b": 0.3, "c": 0.3}, config.Policy{Timeout: 5 * time.Second})
	chain := config.Chain{Name: "page", Deadline: 2 * time.Second, Hops: []config.Hop{{Parallel: hops("a", "b", "c")}}}
	c := audit.AssessChain(chain, known, at)
	if len(c.FanOuts) != 1 || c.FanOuts[0].P99 == nil {
		t.Fatalf("fan-outs %+v", c.FanOuts)
	}
	p, _, _ := latency.LocalProbit(known["a"].Tail.Merged, *c.FanOuts[0].P99)
	near(t, "what one call exceeds at the p99 of three", p, retry.FanOutTail(0.01, 3), 1e-9)
	one, _, _ := latency.LocalProbit(known["a"].Tail.Merged, 0.3)
	if p >= one {
		t.Errorf("the slowest of three is no slower than one: %v and %v", p, one)
	}

	known["b"] = audit.Assess(audit.Input{Dependency: &config.Dependency{Name: "b"}, At: at, Failure: &audit.Failure{Status: latency.StatusNoData}})
	if c := audit.AssessChain(chain, known, at); c.FanOuts[0].P99 != nil || c.Fallback != nil {
		t.Errorf("a call without data has no p99 and no fallback ratio: %+v %+v", c.FanOuts, c.Fallback)
	}
}

func TestAnyHopsFallbackIsTheChains(t *testing.T) {
	known := audited(t, map[string]float64{"a": 0.3, "b": 0.3}, config.Policy{Timeout: time.Second})
	chain := config.Chain{Name: "page", Deadline: 2 * time.Second, Hops: hops("a", "b")}
	one := known["a"].Fallback.Ratio
	c := audit.AssessChain(chain, known, at)
	if c.Fallback == nil {
		t.Fatal("no fallback ratio")
	}
	near(t, "fallback at either hop", c.Fallback.Point, retry.FanOut(one.Point, 2), 1e-12)
	near(t, "if both always fail together", c.Fallback.Lower, one.Lower, 1e-12)
	near(t, "if never together", c.Fallback.Upper, 2*one.Upper, 1e-12)
}
