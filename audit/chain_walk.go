package audit

import (
	"slices"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// walk visits the hops of a chain in order.
type walk struct {
	chain        *ChainAssessment
	dependencies map[string]*Assessment
}

// place is where in the chain a call stands.
type place struct {
	depth    int
	parallel bool
	caller   string      // the dependency that makes the call; empty: the entry
	outer    *Assessment // the same; nil: the entry
	worst    float64     // attempts at the caller for each call of the chain
	expected *float64    // nil: not known

	remaining *float64 // at the entry's own calls
}

// sequence visits hops that one caller makes one after another.
func (w walk) sequence(hops []config.Hop, p place) {
	if p.outer == nil {
		left := w.chain.Chain.Deadline.Seconds() - w.chain.Chain.Edge.Seconds()
		p.remaining = &left
	}
	for _, hop := range hops {
		took := w.hop(hop, p)
		switch {
		case p.remaining == nil:
		case took == nil:
			p.remaining = nil
		default:
			left := *p.remaining - *took - w.chain.Chain.Overhead.Seconds()
			p.remaining = &left
		}
	}
}

// hop visits one hop and returns its p99, the largest of a parallel group; nil
// when it is not known.
func (w walk) hop(hop config.Hop, p place) *float64 {
	if hop.Dependency == "" {
		return w.parallel(hop.Parallel, p)
	}
	h := HopAssessment{Dependency: hop.Dependency, Depth: p.depth, Parallel: p.parallel, Remaining: p.remaining, WorstCase: p.worst}
	inner := place{depth: p.depth + 1, caller: hop.Dependency, worst: p.worst}
	if a, audited := w.dependencies[hop.Dependency]; audited {
		h.Assessment, h.P99 = a, knownP99(a)
		h.WorstCase = p.worst * float64(a.WorstCase)
		if p.expected != nil && a.Amplification != nil {
			expected := *p.expected * a.Amplification.Point
			h.Amplification = &expected
		}
		w.invert(a, p)
		inner.outer, inner.worst, inner.expected = a, h.WorstCase, h.Amplification
	}
	if h.P99 == nil && !slices.Contains(w.chain.Unknown, hop.Dependency) {
		w.chain.Unknown = append(w.chain.Unknown, hop.Dependency)
	}
	w.chain.Hops = append(w.chain.Hops, h)
	if inner.outer != nil {
		w.sequence(hop.Nested, inner)
	}
	return h.P99
}

func (w walk) parallel(hops []config.Hop, p place) *float64 {
	p.parallel = true
	w.chain.FanOuts = append(w.chain.FanOuts, fanOut(flat(hops), w.dependencies))
	longest, known := 0.0, true
	for _, hop := range hops {
		took := w.hop(hop, p)
		known = known && took != nil
		if took != nil {
			longest = max(longest, *took)
		}
	}
	if !known {
		return nil
	}
	return &longest
}

// knownP99 is the p99 that a budget may count with: a lower bound would make a
// chain look as if it fitted.
func knownP99(a *Assessment) *float64 {
	if a == nil || !a.Judgeable() || a.P99LowerBound {
		return nil
	}
	return a.P99
}

// invert notes an inner call that may outlive what its caller has left: the
// caller's own timeout where a callee calls on, the rest of the deadline at the
// entry. A deadline that travels with the call ends it in time.
func (w walk) invert(a *Assessment, p place) {
	longest := a.Effective.Longest
	if longest <= 0 || a.Dependency.Policy.DeadlinePropagated {
		return
	}
	longest += float64(a.Effective.WorstCase) * w.chain.Chain.Overhead.Seconds()
	left := p.remaining
	if p.outer != nil {
		if p.outer.Limit <= 0 {
			return
		}
		left = &p.outer.Limit
	}
	if left != nil && longest > *left {
		w.chain.Inversions = append(w.chain.Inversions, Inversion{a.Dependency.Name, p.caller, longest, *left})
	}
}
