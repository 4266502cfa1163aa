package audit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// comfortable is the room an attempt needs in a budget, in multiples of p99.
const comfortable = 2

// plausibleSpeedup is how many times faster somebody may be asked to make a hop:
// beyond that it is no advice.
const plausibleSpeedup = 4

// needOptions vary the question of what a chain needs.
type needOptions struct {
	factor  float64
	once    bool   // no hop retries
	without string // a dependency taken as free of cost
}

// need adds up the calls one after another. Nested calls are inside their
// caller's p99 already and are never added (docs/model.md §6).
func (c ChainAssessment) need(hops []config.Hop, dependencies map[string]*Assessment, o needOptions) float64 {
	var calls [][]retry.HopCost
	for _, hop := range hops {
		group := hop.Parallel
		if hop.Dependency != "" {
			group = []config.Hop{hop}
		}
		var costs []retry.HopCost
		for _, member := range flat(group) {
			a, audited := dependencies[member]
			if p99 := knownP99(a); audited && p99 != nil && member != o.without {
				costs = append(costs, hopCost(a, *p99, o.once))
			}
		}
		calls = append(calls, costs)
	}
	return retry.BudgetNeeded(retry.NeedOptions{
		Calls: calls, Overhead: c.Chain.Overhead.Seconds(), Edge: c.Chain.Edge.Seconds(), Factor: o.factor,
	})
}

// flat names the dependencies that a caller calls at once, groups in groups
// included.
func flat(group []config.Hop) []string {
	var names []string
	for _, hop := range group {
		if hop.Dependency != "" {
			names = append(names, hop.Dependency)
			continue
		}
		names = append(names, flat(hop.Parallel)...)
	}
	return names
}

func hopCost(a *Assessment, p99 float64, once bool) retry.HopCost {
	if once || a.callScope() {
		return retry.HopCost{P99: p99, Attempts: 1}
	}
	return retry.HopCost{P99: p99, Attempts: a.Effective.WorstCase, Backoff: a.Policy.Backoff.Total(a.Effective.WorstCase - 1)}
}

// lever names the first change, in the order of docs/model.md §6, that makes
// the chain fit.
func (c ChainAssessment) lever(dependencies map[string]*Assessment) string {
	deadline, needs := c.Chain.Deadline.Seconds(), "it needs"
	if len(c.Unknown) > 0 {
		needs = "it needs at least"
	}
	if once := c.need(c.Chain.Hops, dependencies, needOptions{factor: comfortable, once: true}); once <= deadline {
		return fmt.Sprintf("fewer retries: without any below the edge %s %s", needs, figure.Seconds(once))
	}
	for _, hop := range c.slowest() {
		without := c.need(c.Chain.Hops, dependencies, needOptions{factor: comfortable, once: true, without: hop.Dependency})
		if room := (deadline - without - c.Chain.Overhead.Seconds()) / comfortable; room >= *hop.P99/plausibleSpeedup {
			return fmt.Sprintf("no retries below the edge and a faster hop: %s (p99 %s) may take up to %s",
				hop.Dependency, figure.Seconds(*hop.P99), figure.Seconds(room))
		}
	}
	return fmt.Sprintf("fewer hops, or a longer deadline: %s %s even without retries", needs,
		figure.Seconds(c.need(c.Chain.Hops, dependencies, needOptions{factor: comfortable, once: true})))
}

// slowest returns the entry's own calls, largest p99 first.
func (c ChainAssessment) slowest() []HopAssessment {
	var own []HopAssessment
	for _, hop := range c.Hops {
		if hop.Depth == 0 && hop.P99 != nil {
			own = append(own, hop)
		}
	}
	slices.SortStableFunc(own, func(x, y HopAssessment) int { return cmp.Compare(*y.P99, *x.P99) })
	return own
}
