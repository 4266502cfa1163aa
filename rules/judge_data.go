package rules

import (
	"fmt"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

func judgeConnectTimeout(a *audit.Assessment, threshold float64) judgement {
	switch c := a.Connect; {
	case c == nil || c.Limit <= 0:
		return clear
	case c.FalseTimeout == nil:
		return undecided
	default:
		return compared(c.CompareFalseTimeout(threshold), func() (message, advice string) {
			return fmt.Sprintf("connect timeout %s lies below %s of connecting: %s of connections would have been made and are given up",
					figure.Seconds(c.Limit), p99Text(c), estimateText(*c.FalseTimeout, figure.Ratio)),
				"raise the connect timeout, or find out why connecting is slow: full accept queues, DNS, TLS"
		})
	}
}

func judgeSlowReplica(a *audit.Assessment, _ float64) judgement {
	return compared(a.CompareReplicas(), func() (message, advice string) {
		var slow []string
		for _, r := range a.Replicas {
			if r.Verdict == latency.VerdictAbove {
				slow = append(slow, fmt.Sprintf("%s %s", r.Name, estimateText(r.Ratio, figure.Ratio)))
			}
		}
		return fmt.Sprintf("%s of attempts are cut off by the fleet, but by %s", figure.Ratio(a.FalseTimeout.Point), strings.Join(slow, ", ")),
			"take the replica out of rotation and look at it: its health check does not see this; a longer timeout is not the cure"
	})
}

func judgeMeasuredDiffers(a *audit.Assessment, _ float64) judgement {
	var differing []string
	for _, c := range a.Comparisons {
		if c.Differs() {
			differing = append(differing, fmt.Sprintf("%s: measured %s, predicted %s",
				c.What, estimateText(c.Measured, figure.Ratio), estimateText(c.Predicted, figure.Ratio)))
		}
	}
	if len(differing) == 0 {
		return clear
	}
	return found(strings.Join(differing, "; "),
		"believe the counters, and find the calls that leave no latency sample: attempts cut off and not recorded, lost requests, cancelled callers, retries that nobody declared")
}

// manyTimes is from where on a factor says no more than "many".
const manyTimes = 1000

func judgeTailUnderstated(a *audit.Assessment, _ float64) judgement {
	fit := a.Tail.Fit
	switch {
	case fit == nil:
		return undecided
	case !fit.Misfit.UnderstatesTail():
		return clear
	}
	times := figure.Multiple(fit.Misfit.TailRatio)
	if fit.Misfit.TailRatio > manyTimes {
		times = "more than " + figure.Multiple(manyTimes)
	}
	return found(fmt.Sprintf("above %s there are %s as many calls as a lognormal puts there: the distribution has more than one mode or a heavy tail",
		figure.Seconds(fit.Misfit.TailRatioAt), times),
		"rely on the counted figures and not on one computed from p50 and p99")
}

func judgeBucketMissing(a *audit.Assessment, _ float64) judgement {
	bound, missing := a.Tail.BoundToAdd(audit.P99Ratio)
	if !missing {
		return clear
	}
	return found(fmt.Sprintf("the timeout %s lies inside a bucket too coarse to decide: between %s and %s of %s take longer",
		figure.Seconds(a.Limit), figure.Ratio(a.FalseTimeout.Lower), figure.Ratio(a.FalseTimeout.Upper), unit(a)),
		fmt.Sprintf("add a bucket bound at le = %s to the histogram", figure.Seconds(bound)))
}
