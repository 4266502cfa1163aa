package rules

import (
	"fmt"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/figure"
)

func judgeChainOverBudget(c audit.ChainAssessment, _ float64) judgement {
	over, known := c.OverBudget()
	switch {
	case !known:
		return undecided
	case !over:
		return clear
	}
	atLeast := ""
	if len(c.Unknown) > 0 {
		atLeast = "at least "
	}
	return found(fmt.Sprintf("the calls need %s%s (every attempt 2 × p99, retries and overhead included) and the deadline is %s",
		atLeast, figure.Seconds(c.Needed), figure.Seconds(c.Chain.Deadline.Seconds())), c.Lever)
}

func judgeChainAmplification(c audit.ChainAssessment, threshold float64) judgement {
	if c.WorstCase <= threshold {
		return clear
	}
	deepest := c.Hops[0]
	for _, hop := range c.Hops {
		if hop.WorstCase > deepest.WorstCase {
			deepest = hop
		}
	}
	return found(fmt.Sprintf("one call becomes up to %s at %s when everything fails, threshold %s",
		figure.Multiple(c.WorstCase), deepest.Dependency, figure.Multiple(threshold)),
		"retry at one level only, the edge, and give the levels below a retry budget")
}

func judgeDeadlineInversion(c audit.ChainAssessment, _ float64) judgement {
	if len(c.Inversions) == 0 {
		return clear
	}
	var inner []string
	for _, i := range c.Inversions {
		caller := i.Caller
		if caller == "" {
			caller = "the entry"
		}
		inner = append(inner, fmt.Sprintf("%s may take %s while %s has %s left",
			i.Dependency, figure.Seconds(i.Longest), caller, figure.Seconds(i.Left)))
	}
	return found(strings.Join(inner, "; "),
		"propagate the deadline, or shorten the inner timeouts so that a caller never gives up on work that goes on")
}
