package retry

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// compareDeadline notes what the deadline makes of the timeout and of n
// attempts.
func (e *Effective) compareDeadline(p Policy, n int) {
	switch {
	case p.Deadline == 0:
	case p.Timeout == 0:
		e.deadlineIsTimeout(p, n)
	case p.Timeout >= p.Deadline*(1-slack):
		e.deadTimeout(p, n)
	default:
		e.missingAttempts(p, n)
		e.cutAttempt(p, n)
	}
}

// deadlineIsTimeout: an attempt that uses its whole time uses the whole call.
func (e *Effective) deadlineIsTimeout(p Policy, n int) {
	if n == 1 || !p.RetryOnTimeout {
		return
	}
	e.differ(CodeDeadlineIsTimeout, Difference{
		What: "attempts after a timeout", Declared: strconv.Itoa(n), Effective: "1",
		Why: fmt.Sprintf("no timeout per attempt is set, so a slow attempt uses up the whole deadline of %s; errors that come sooner are still retried",
			duration(p.Deadline)),
	})
}

// deadTimeout: a timeout equal to the deadline does no harm where no retry
// should follow it.
func (e *Effective) deadTimeout(p Policy, n int) {
	retried := n > 1 && p.RetryOnTimeout
	if p.Timeout <= p.Deadline*(1+slack) && !retried {
		return
	}
	why := "the deadline ends the call before the timeout can act"
	if retried {
		why += ", so an attempt that is too slow is never retried"
	}
	e.differ(CodePerAttemptTimeoutDead, Difference{
		What: "the timeout per attempt", Declared: duration(p.Timeout),
		Effective: "the deadline, " + duration(p.Deadline), Why: why,
	})
}

// missingAttempts: the deadline is over before a retry starts.
func (e *Effective) missingAttempts(p Policy, n int) {
	if e.Attempts == n {
		return
	}
	why := fmt.Sprintf("backoff alone uses up the deadline of %s", duration(p.Deadline))
	if p.RetryOnTimeout {
		why = fmt.Sprintf("after %d attempts of up to %s and the backoff between them nothing is left of the deadline of %s",
			e.Attempts, duration(p.Timeout), duration(p.Deadline))
	}
	e.differ(CodeRetriesExceedDeadline, Difference{
		What: "attempts", Declared: strconv.Itoa(n), Effective: strconv.Itoa(e.Attempts), Why: why,
	})
}

// cutAttempt: an attempt starts with less than its timeout left, always or
// only when the jitter draws long waits.
func (e *Effective) cutAttempt(p Policy, n int) {
	for k, timeout := range e.Timeouts {
		if timeout < e.Timeouts[0] {
			e.differ(CodeDeadlineCutsAttempt, Difference{
				What: fmt.Sprintf("the timeout of attempt %d", k+1), Declared: duration(p.Timeout), Effective: duration(timeout),
				Why: fmt.Sprintf("what comes before it leaves no more of the deadline of %s", duration(p.Deadline)),
			})
			return
		}
	}
	all := float64(n)*p.Timeout + p.Backoff.Total(n-1)
	if e.Attempts < n || !p.RetryOnTimeout || all <= p.Deadline*(1+slack) {
		return
	}
	e.differ(CodeDeadlineCutsAttempt, Difference{
		What: fmt.Sprintf("the timeout of attempt %d", n), Declared: duration(p.Timeout),
		Effective: "as little as " + duration(max(0, p.Timeout-(all-p.Deadline))),
		Why: fmt.Sprintf("with the longest backoff all attempts need %s, and the deadline is %s",
			duration(all), duration(p.Deadline)),
	})
}

// hedge keeps a hedge that can start before its attempt ends.
func (e *Effective) hedge(p Policy) {
	if p.HedgeAfter == 0 {
		return
	}
	if first := e.Timeouts[0]; first > 0 && p.HedgeAfter >= first {
		e.differ(CodeHedgeNeverSent, Difference{
			What: "the hedge", Declared: "after " + duration(p.HedgeAfter), Effective: "never",
			Why: fmt.Sprintf("the attempt it should overtake ends after %s", duration(first)),
		})
		return
	}
	e.HedgeAfter = p.HedgeAfter
}

// duration writes seconds as configuration files do: 1.4s, 250ms.
func duration(seconds float64) string {
	if seconds >= math.MaxInt64/float64(time.Second) {
		return strconv.FormatFloat(seconds, 'g', 3, 64) + "s"
	}
	d := time.Duration(math.Round(seconds * float64(time.Second)))
	if d >= 10*time.Millisecond {
		d = d.Round(100 * time.Microsecond)
	}
	return d.String()
}
