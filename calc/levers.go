package calc

import (
	"fmt"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// Lever is one change that makes room in a deadline.
type Lever struct {
	Lever  string `json:"lever"`  // a stable name
	Change string `json:"change"` // what it means here, in a sentence

	// What it leads to where that can be said; nil where it cannot.
	AttemptShareSeconds    *float64 `json:"attempt_share_seconds,omitempty"` // of an inner hop
	WorstCaseAmplification *float64 `json:"worst_case_amplification_ratio,omitempty"`
	Fit                    Fit      `json:"fit"`
}

// The levers, in the order to try them (docs/model.md §6).
const (
	LeverRetryAtEdge = "retry-at-the-edge-only"
	LeverNoRetries   = "no-retries"
	LeverFasterHop   = "faster-hop"
	LeverFewerHops   = "fewer-hops"
	LeverLonger      = "longer-deadline"
	LeverPropagate   = "propagate-the-deadline"
)

// comfortableFactor is the room per attempt, in multiples of p99, that docs/model.md
// §6 counts with.
const comfortableFactor = 2.0

// plan is a deadline, the attempts at each hop and, where known, the p99s.
type plan struct {
	deadline, overhead float64
	attempts           []int
	p99                []float64 // empty or one per hop
}

func (in BudgetInput) plan() plan {
	return plan{in.Deadline, in.Overhead, repeat(in.Retries+1, in.Hops), in.P99}
}

// share returns what an attempt of the last hop gets under an equal split.
func (p plan) share() float64 {
	return retry.AttemptShare(retry.ShareOptions{
		Deadline: p.deadline, Hops: len(p.attempts), Attempts: p.attempts[len(p.attempts)-1], Overhead: p.overhead})
}

func (p plan) worstCase() float64 {
	worst := retry.WorstCaseChain(p.attempts)
	return worst[len(worst)-1]
}

// needed returns the deadline that gives every attempt factor times its p99.
func (p plan) needed(factor float64) float64 {
	o := retry.NeedOptions{Overhead: p.overhead, Factor: factor}
	for i, p99 := range p.p99 {
		o.Calls = append(o.Calls, []retry.HopCost{{P99: p99, Attempts: p.attempts[i]}})
	}
	return retry.BudgetNeeded(o)
}

func (p plan) fit() Fit {
	const rounding = 1 + 1e-9
	switch {
	case p.share() <= 0:
		return FitNone
	case len(p.p99) == 0:
		return FitUnknown
	case p.needed(comfortableFactor) <= p.deadline*rounding:
		return FitComfortable
	case p.needed(1) <= p.deadline*rounding:
		return FitTight
	}
	return FitNone
}

// levers lists what can be pulled, the best first.
func (p plan) levers() []Lever {
	var levers []Lever
	if p.attempts[0] > 1 {
		if len(p.attempts) > 1 {
			levers = append(levers, p.retryAtEdge())
		}
		levers = append(levers, p.noRetries())
	}
	if len(p.p99) > 0 && p.fit() != FitComfortable {
		levers = append(levers, p.fasterHop(), p.fewerHops(), p.longer())
	}
	return append(levers, Lever{Lever: LeverPropagate, Fit: FitUnknown,
		Change: "send what is left of the deadline with every call, so that no hop works on a reply nobody waits for"})
}

// lever describes the plan that a change leads to.
func (p plan) lever(name, change string) Lever {
	share, worst := p.share(), p.worstCase()
	return Lever{Lever: name, Change: change, AttemptShareSeconds: &share, WorstCaseAmplification: &worst, Fit: p.fit()}
}

func (p plan) retryAtEdge() Lever {
	edge := p.attempts[0]
	p.attempts = repeat(1, len(p.attempts))
	p.attempts[0] = edge
	return p.lever(LeverRetryAtEdge, "retry at the first hop only: every hop that retries multiplies the ones behind it")
}

func (p plan) noRetries() Lever {
	p.attempts = repeat(1, len(p.attempts))
	return p.lever(LeverNoRetries, "do not retry")
}

// fasterHop says down to which p99 every hop above it must come.
func (p plan) fasterHop() Lever {
	comfortable, least := p.longestP99(comfortableFactor), p.longestP99(1)
	if comfortable == 0 {
		return Lever{Lever: LeverFasterHop, Change: "no p99 is short enough: the overhead alone is too much", Fit: FitNone}
	}
	change := fmt.Sprintf("bring every p99 down to %s, from %s at the slowest hop", fourDigits(comfortable), seconds(slices.Max(p.p99)))
	if p.fit() == FitNone {
		change += fmt.Sprintf("; %s just fits", fourDigits(least))
	}
	return p.with(comfortable).lever(LeverFasterHop, change)
}

// longestP99 returns the highest limit on p99 at which factor times p99 fits
// for every attempt, 0 when none does. It bisects, since a limit touches only
// the hops above it.
func (p plan) longestP99(factor float64) float64 {
	fits := func(limit float64) bool { return p.with(limit).needed(factor) <= p.deadline }
	low, high := 0.0, slices.Max(p.p99)
	if fits(high) {
		return high
	}
	const steps = 60 // to the precision of a float64
	for range steps {
		if middle := low + (high-low)/2; fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// with returns the plan with no p99 above limit.
func (p plan) with(limit float64) plan {
	p99 := slices.Clone(p.p99)
	for i := range p99 {
		p99[i] = min(p99[i], limit)
	}
	p.p99 = p99
	return p
}

// fewerHops says how many hops fit when the slowest go first.
func (p plan) fewerHops() Lever {
	p99 := slices.Sorted(slices.Values(p.p99))
	for _, enough := range []Fit{FitComfortable, FitTight} {
		for hops := len(p99) - 1; hops > 0; hops-- {
			fewer := p
			fewer.p99, fewer.attempts = p99[:hops], p.attempts[:hops]
			if fewer.fit() == enough {
				return fewer.lever(LeverFewerHops, fmt.Sprintf("make %s instead of %d, without the slowest", plural(hops, "call"), len(p99)))
			}
		}
	}
	return Lever{Lever: LeverFewerHops, Change: "not even the fastest hop fits alone", Fit: FitNone}
}

func (p plan) longer() Lever {
	least := p.needed(1)
	p.deadline = p.needed(comfortableFactor)
	return p.lever(LeverLonger, fmt.Sprintf("a deadline of %s is comfortable, %s the least",
		figure.Seconds(p.deadline), figure.Seconds(least)))
}
