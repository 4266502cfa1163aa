package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
)

func TestRecommendationStaysWithinItsRoom(t *testing.T) {
	policy := config.Policy{Timeout: 2 * time.Second}
	a := audited(t, map[string]float64{"a": 1}, policy)["a"] // wants 2.75 s
	for name, tc := range map[string]struct {
		room         float64
		target, step float64
		lever, why   string
	}{
		"wide":                  {3, 2.75, 2.75, "", "the 0.999 quantile"},
		"narrower than wished":  {2.5, 2.5, 2.5, "", "all that chain page leaves an attempt"},
		"shorter than declared": {1.5, 1.5, 1.5, "", "all that chain page leaves"},
		"less than p99":         {0.5, 1, 1, "fewer retries", "chain page leaves an attempt 500ms"},
		"none":                  {-1, 1, 1, "fewer retries", "chain page leaves an attempt no time"},
	} {
		t.Run(name, func(t *testing.T) {
			r := a.Within([]audit.Room{{Seconds: 9}, {Seconds: tc.room, By: "chain page", Lever: "fewer retries"}}).Recommendation
			if r == nil || r.Target == nil || r.Step == nil {
				t.Fatalf("no recommendation: %+v", r)
			}
			near(t, "target", *r.Target, tc.target, 1e-9)
			near(t, "step", *r.Step, tc.step, 1e-9)
			if r.Lever != tc.lever || !strings.Contains(r.Why, tc.why) {
				t.Errorf("lever %q, want %q; %q should say %q", r.Lever, tc.lever, r.Why, tc.why)
			}
		})
	}
}

func TestDeadlineOfThePolicyIsRoomForAllAttempts(t *testing.T) {
	backoff := config.Backoff{Initial: 100 * time.Millisecond, Multiplier: 1}
	for name, tc := range map[string]struct {
		policy  config.Policy
		retried bool
		want    float64
	}{
		"all attempts and waits": {config.Policy{Timeout: time.Second, Deadline: 7 * time.Second, Retries: 2, Backoff: backoff}, true, (7 - 0.2) / 3},
		"timeouts not retried":   {config.Policy{Timeout: time.Second, Deadline: 2 * time.Second, Retries: 2, Backoff: backoff}, false, 2},
	} {
		dep := dependency(tc.policy)
		dep.Policy.RetryOnTimeout = tc.retried
		r := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: observation(t, bounds, counts)}).Recommendation
		if r == nil || r.Target == nil || r.Room == nil {
			t.Fatalf("%s: %+v", name, r)
		}
		near(t, name, r.Room.Seconds, tc.want, 1e-12)
		near(t, name, *r.Target, tc.want, 1e-12)
	}
	narrow := config.Policy{Timeout: time.Second, Deadline: 2 * time.Second, Retries: 2}
	r := audited(t, map[string]float64{"a": 1}, narrow)["a"].Recommendation
	if r.Lever != "fewer retries, or a longer deadline" || *r.Target != 1 {
		t.Errorf("three attempts of 1s p99 in 2s: %+v", r)
	}
}

func TestChainLeavesRoomToEachHop(t *testing.T) {
	found := audited(t, map[string]float64{"a": 0.3, "b": 0.2, "c": 0.1, "inner": 0.1}, config.Policy{Timeout: 5 * time.Second, Retries: 1})
	chain := config.Chain{Name: "page", Deadline: 4 * time.Second, Overhead: 5 * time.Millisecond, Edge: 40 * time.Millisecond, Hops: []config.Hop{
		{Dependency: "a", Nested: hops("inner")}, {Parallel: hops("b", "c")},
	}}
	rooms := audit.AssessChain(chain, found, at).Rooms(found)
	ab := 2 * (2*0.2 + 0.005) // what b and c need together
	a := 2 * (2*0.3 + 0.005)
	for name, want := range map[string]float64{
		"a":     (4-0.04-ab)/2 - 0.005,
		"b":     (4-0.04-a)/2 - 0.005,
		"c":     (4-0.04-a)/2 - 0.005,
		"inner": 5.0/2 - 0.005,
	} {
		if len(rooms[name]) != 1 {
			t.Fatalf("%s has rooms %+v", name, rooms[name])
		}
		near(t, name, rooms[name][0].Seconds, want, 1e-12)
	}
	if by := rooms["inner"][0].By; by != "the timeout of a" {
		t.Errorf("inner is limited by %q", by)
	}

	chain.Hops = append(chain.Hops, hops("unseen")...)
	rooms = audit.AssessChain(chain, found, at).Rooms(found)
	if len(rooms["a"]) != 0 || len(rooms["inner"]) != 1 {
		t.Errorf("an unknown hop leaves the entry's calls without a figure: %+v", rooms)
	}
}
