package audit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// Room is the longest timeout per attempt that whoever waits for a dependency
// affords.
type Room struct {
	Seconds float64 // 0 or less: not even the rest fits
	By      string  // what leaves no more: "the deadline of 5s", "chain product-page"
	Lever   string  // how to make more
}

// String says how much there is: "chain product-page leaves an attempt 245ms".
func (r Room) String() string {
	if r.Seconds <= 0 {
		return r.By + " leaves an attempt no time"
	}
	return fmt.Sprintf("%s leaves an attempt %s", r.By, figure.Seconds(r.Seconds))
}

func least(rooms []Room) *Room {
	if len(rooms) == 0 {
		return nil
	}
	room := slices.MinFunc(rooms, func(x, y Room) int { return cmp.Compare(x.Seconds, y.Seconds) })
	return &room
}

// Within gives the advice again, for callers that leave only so much room.
func (a *Assessment) Within(rooms []Room) *Assessment {
	if len(rooms) == 0 {
		return a
	}
	within := *a
	within.advise(rooms)
	return &within
}

// advise recommends a timeout.
func (a *Assessment) advise(rooms []Room) {
	if own := a.ownRoom(); own != nil {
		rooms = append(slices.Clone(rooms), *own)
	}
	a.Recommendation = recommend(a, rooms)
}

// ownRoom is what the deadline of the policy leaves each attempt when all of
// them time out; nil without a deadline.
func (a *Assessment) ownRoom() *Room {
	deadline := a.Policy.Deadline
	if deadline <= 0 {
		return nil
	}
	n := 1
	lever := "a longer deadline"
	if a.Policy.RetryOnTimeout && a.Policy.Retries > 0 {
		n = a.Effective.WorstCase
		lever = "fewer retries, or a longer deadline"
	}
	return &Room{
		Seconds: retry.AttemptShare(retry.ShareOptions{Deadline: deadline, Attempts: n, Backoff: a.Policy.Backoff.Total(n - 1)}),
		By:      fmt.Sprintf("the deadline of %s", a.Dependency.Policy.Deadline),
		Lever:   lever,
	}
}

// Rooms returns, by dependency, what the chain leaves its attempts: to the
// entry's own calls the deadline less what all others need (every attempt 2 ×
// p99), to nested ones what their caller's timeout holds (docs/model.md §6).
// With unknown hops nothing is said of the entry's calls.
func (c ChainAssessment) Rooms(dependencies map[string]*Assessment) map[string][]Room {
	r := rooms{chain: c, dependencies: dependencies, found: map[string][]Room{}}
	for i, hop := range c.Chain.Hops {
		if len(c.Unknown) == 0 {
			others := slices.Delete(slices.Clone(c.Chain.Hops), i, i+1)
			left := c.Chain.Deadline.Seconds() - c.need(others, dependencies, needOptions{factor: comfortable})
			for _, name := range flat([]config.Hop{hop}) {
				r.leave(name, left, "")
			}
		}
		r.nested(hop)
	}
	return r.found
}

type rooms struct {
	chain        ChainAssessment
	dependencies map[string]*Assessment
	found        map[string][]Room
}

// leave divides what is left among the attempts of a call.
func (r rooms) leave(name string, left float64, caller string) {
	a, audited := r.dependencies[name]
	if !audited {
		return
	}
	cost := hopCost(a, 0, false)
	room := Room{
		Seconds: (left-cost.Backoff)/float64(cost.Attempts) - r.chain.Chain.Overhead.Seconds(),
		By:      "chain " + r.chain.Chain.Name,
		Lever:   r.chain.Lever,
	}
	if caller != "" {
		room.By = "the timeout of " + caller
		room.Lever = fmt.Sprintf("fewer retries, a longer timeout of %s, or propagate the deadline", caller)
	} else if room.Lever == "" {
		room.Lever = "fewer retries, a faster hop, or a longer deadline of the chain"
	}
	r.found[name] = append(r.found[name], room)
}

func (r rooms) nested(hop config.Hop) {
	for _, parallel := range hop.Parallel {
		r.nested(parallel)
	}
	outer, audited := r.dependencies[hop.Dependency]
	for _, inner := range hop.Nested {
		if audited && outer.Limit > 0 {
			for _, name := range flat([]config.Hop{inner}) {
				if a := r.dependencies[name]; a != nil && !a.Dependency.Policy.DeadlinePropagated {
					r.leave(name, outer.Limit, hop.Dependency)
				}
			}
		}
		r.nested(inner)
	}
}
