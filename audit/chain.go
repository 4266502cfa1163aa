package audit

import (
	"fmt"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// ChainAssessment is what the calls of one chain need, beside its deadline.
// Times are seconds.
type ChainAssessment struct {
	Chain config.Chain
	At    time.Time

	Hops    []HopAssessment // depth first, in the order of the configuration
	Unknown []string        // dependencies without a p99: Needed leaves them out

	// Needed is Σ attempts·(2·p99 + overhead) + backoff over the calls one after
	// another, plus the edge; Least is the same with 1·p99. With Unknown hops
	// both are lower bounds.
	Needed, Least float64

	Share     float64 // equal share of the deadline for each attempt
	WorstCase float64 // attempts at the innermost callee for each call, at worst

	// Amplification is the same as expected; nil with a hop that has no estimate.
	Amplification *float64

	FanOuts  []FanOut
	Fallback *Estimate // share of the chain's calls with a fallback at a hop at least; nil: not known

	Inversions []Inversion
	Lever      string // which change makes the chain fit, empty when it does
}

// HopAssessment is one dependency's place in a chain.
type HopAssessment struct {
	Dependency string
	Depth      int // 0: called by the entry
	Parallel   bool

	Assessment *Assessment // nil: the dependency is not in the audit
	P99        *float64

	// Remaining is what is left of the deadline before this call when every call
	// before takes its p99. Nil for nested calls, and behind an unknown one.
	Remaining *float64

	Amplification *float64 // expected attempts here for each call of the chain
	WorstCase     float64
}

// Inversion is an inner call that may outlive what its caller has left.
type Inversion struct {
	Dependency string
	Caller     string  // the dependency that waits for it; empty: the entry
	Longest    float64 // seconds that the inner call may take, attempts and backoff included
	Left       float64 // seconds that its caller has left
}

// OverBudget reports whether the chain needs more than its deadline, and whether
// that is known: with unknown hops a chain may only be known not to fit.
func (c ChainAssessment) OverBudget() (over, known bool) {
	over = c.Needed > c.Chain.Deadline.Seconds()
	return over, over || len(c.Unknown) == 0
}

// Subject names what is judged: the same calls under the same policies.
func (c ChainAssessment) Subject() string {
	subject := fmt.Sprintf("%v %v %v %v", c.Chain.Deadline, c.Chain.Overhead, c.Chain.Edge, c.Chain.Hops)
	for _, hop := range c.Hops {
		if hop.Assessment != nil {
			subject += " " + hop.Assessment.Subject()
		}
	}
	return subject
}

// AssessChain judges a chain by the assessments of its dependencies, by name.
func AssessChain(chain config.Chain, dependencies map[string]*Assessment, at time.Time) ChainAssessment {
	c := ChainAssessment{Chain: chain, At: at}
	w := walk{chain: &c, dependencies: dependencies}
	w.sequence(chain.Hops, place{worst: 1, expected: one()})
	c.Needed = c.need(chain.Hops, dependencies, needOptions{factor: comfortable})
	c.Least = c.need(chain.Hops, dependencies, needOptions{factor: 1})
	c.amplify()
	c.Fallback = c.fallbackOfAny()
	c.Share = retry.AttemptShare(retry.ShareOptions{
		Deadline: chain.Deadline.Seconds(), Hops: length(chain.Hops), Attempts: mostAttempts(c.Hops), Overhead: chain.Overhead.Seconds(),
	})
	if over, _ := c.OverBudget(); over {
		c.Lever = c.lever(dependencies)
	}
	return c
}

func one() *float64 { v := 1.0; return &v }

func (c *ChainAssessment) amplify() {
	c.WorstCase, c.Amplification = 1, one()
	for _, hop := range c.Hops {
		c.WorstCase = max(c.WorstCase, hop.WorstCase)
		switch {
		case hop.Amplification == nil:
			c.Amplification = nil
		case c.Amplification != nil:
			*c.Amplification = max(*c.Amplification, *hop.Amplification)
		}
	}
}

// length counts the hops on the longest way through, a parallel group once.
func length(hops []config.Hop) int {
	n := 0
	for _, hop := range hops {
		longest := 0
		for _, parallel := range hop.Parallel {
			longest = max(longest, length([]config.Hop{parallel}))
		}
		if hop.Dependency != "" {
			longest = 1 + length(hop.Nested)
		}
		n += longest
	}
	return n
}

func mostAttempts(hops []HopAssessment) int {
	most := 1
	for _, hop := range hops {
		if hop.Assessment != nil {
			most = max(most, hop.Assessment.Effective.WorstCase)
		}
	}
	return most
}
