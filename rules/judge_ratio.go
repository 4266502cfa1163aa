package rules

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

func judgeTimeoutBelowP99(a *audit.Assessment, threshold float64) judgement {
	if a.Limit <= 0 {
		return clear
	}
	return compared(a.CompareFalseTimeout(threshold), func() (message, advice string) {
		if a.P99 != nil && *a.P99 < a.Limit && !a.P99LowerBound {
			return fmt.Sprintf("timeout %s cuts off %s of %s although their reply would come; the histogram has lost them, so its p99 (%s) is too small",
				figure.Seconds(a.Limit), estimateText(*a.FalseTimeout, figure.Ratio), unit(a), figure.Seconds(*a.P99)), timeoutAdvice(a)
		}
		return fmt.Sprintf("timeout %s lies below %s: %s of %s are cut off although their reply would come",
			figure.Seconds(a.Limit), p99Text(a), estimateText(*a.FalseTimeout, figure.Ratio), unit(a)), timeoutAdvice(a)
	})
}

func judgeFalseTimeoutRatioHigh(a *audit.Assessment, threshold float64) judgement {
	if a.Limit <= 0 {
		return clear
	}
	if threshold == 0 {
		threshold = a.Dependency.TargetFalseTimeoutRatio
	}
	return compared(a.CompareFalseTimeout(threshold), func() (message, advice string) {
		return fmt.Sprintf("%s of %s are cut off at %s although their reply would come, and the target is %s",
			estimateText(*a.FalseTimeout, figure.Ratio), unit(a), figure.Seconds(a.Limit), figure.Ratio(threshold)), timeoutAdvice(a)
	})
}

func judgeFallbackRatioHigh(a *audit.Assessment, threshold float64) judgement {
	if a.Fallback == nil {
		return undecided
	}
	return compared(a.CompareFallback(threshold), func() (message, advice string) { return fallbackText(a, threshold) })
}

func fallbackText(a *audit.Assessment, threshold float64) (message, advice string) {
	cause := a.Fallback.Cause
	message = fmt.Sprintf("every attempt fails for %s of calls (timeouts %s, errors %s, mixed %s), threshold %s",
		estimateText(a.Fallback.Ratio, figure.Ratio), figure.Ratio(cause.Timeout), figure.Ratio(cause.Error),
		figure.Ratio(cause.Mixed), figure.Ratio(threshold))
	if a.Fallback.PerDay != nil {
		message += fmt.Sprintf(": %s calls a day", figure.Count(*a.Fallback.PerDay))
	}
	advice = "most of it is errors: mend the dependency, a longer timeout will not help"
	if cause.Timeout >= cause.Error {
		advice = timeoutAdvice(a)
	}
	return message, advice
}

func judgeAmplificationHigh(a *audit.Assessment, threshold float64) judgement {
	if a.Amplification == nil {
		return undecided
	}
	return compared(a.CompareAmplification(threshold), func() (message, advice string) {
		advice = "most failures are errors: mend the dependency, and until then fewer retries or a retry budget"
		if a.FalseTimeout.Point >= *a.ErrorRatio {
			advice = timeoutAdvice(a) + "; then fewer retries or a retry budget"
		}
		return fmt.Sprintf("retries send %s attempts per call (worst case %d), threshold %s",
			estimateText(*a.Amplification, figure.Multiple), a.WorstCase, figure.Multiple(threshold)), advice
	})
}

// judgeTimeoutFarAboveP99 stays silent where too much is cut off all the same, as
// with two modes: shortening such a timeout is no advice.
func judgeTimeoutFarAboveP99(a *audit.Assessment, threshold float64) judgement {
	if a.Limit <= 0 || a.CompareFalseTimeout(a.Dependency.TargetFalseTimeoutRatio) == latency.VerdictAbove {
		return clear
	}
	return compared(a.CompareTimeoutToP99(threshold), func() (message, advice string) {
		advice = "shorten it"
		if r := a.Recommendation; r != nil && r.Step != nil {
			advice = "shorten it to " + figure.Seconds(*r.Step)
		}
		return fmt.Sprintf("timeout %s is at least %s %s: when the dependency hangs, each call holds its thread that long",
			figure.Seconds(a.Limit), figure.Multiple(threshold), p99Text(a)), advice
	})
}

// timeoutAdvice names the next step for a timeout that cuts too much.
func timeoutAdvice(a *audit.Assessment) string {
	r := a.Recommendation
	switch {
	case r == nil:
		return "raise the timeout or the deadline, or make the dependency faster"
	case r.Step == nil && r.Lever != "":
		return roomAdvice(*r)
	case r.Step == nil:
		return "raise the timeout in steps or make the dependency faster; no figure is recommended, since " + r.Why
	case *r.Step <= a.Limit:
		return "the timeout can go no higher: " + roomAdvice(*r)
	case r.Target == nil:
		advice := fmt.Sprintf("raise the timeout to %s and look again, since %s", figure.Seconds(*r.Step), r.Why)
		if r.Lever != "" {
			advice += ": " + r.Lever
		}
		return advice
	}
	advice := "raise the timeout to " + figure.Seconds(*r.Step)
	if then := a.Then(); then != nil {
		advice += fmt.Sprintf(" (then %s are cut off)", figure.Ratio(then.FalseTimeout))
	}
	switch {
	case r.Lever != "" && *r.Step > r.Room.Seconds:
		return advice + ", and make room for it: " + roomAdvice(*r)
	case r.Lever != "":
		return advice + "; that is not enough, and more does not fit: " + roomAdvice(*r)
	case *r.Target != *r.Step:
		advice += ", then towards " + figure.Seconds(*r.Target)
	}
	return advice
}

// roomAdvice says what to change where the callers leave too little time.
func roomAdvice(r audit.Recommendation) string {
	if r.Room == nil {
		return "make the dependency faster"
	}
	lever := r.Lever
	if lever == "" {
		lever = r.Room.Lever
	}
	return fmt.Sprintf("%s (%s)", lever, r.Room)
}

func p99Text(a *audit.Assessment) string {
	switch {
	case a.P99 == nil:
		return "p99"
	case a.P99LowerBound:
		return fmt.Sprintf("p99, which is above %s", figure.Seconds(*a.P99))
	}
	return fmt.Sprintf("p99 (%s)", figure.Seconds(*a.P99))
}

func estimateText(e audit.Estimate, print func(float64) string) string {
	return fmt.Sprintf("%s (%s to %s)", print(e.Point), print(e.Lower), print(e.Upper))
}

func unit(a *audit.Assessment) string {
	if a.Dependency.Latency.Scope == "call" {
		return "calls"
	}
	return "attempts"
}
