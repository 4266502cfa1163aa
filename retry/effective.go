package retry

import (
	"fmt"
	"strconv"
)

// Codes of differences between the declared and the effective policy.
const (
	CodePerAttemptTimeoutDead = "per-attempt-timeout-dead" // the timeout is not below the deadline
	CodeRetriesExceedDeadline = "retries-exceed-deadline"  // some retries never start
	CodeDeadlineCutsAttempt   = "deadline-cuts-attempt"    // a later attempt gets less than its timeout
	CodeDeadlineIsTimeout     = "deadline-is-timeout"      // no timeout: an attempt may use the whole deadline
	CodeAttemptLimit          = "attempt-limit"            // the client library allows fewer attempts
	CodeLayersMultiply        = "layers-multiply"          // layers that retry multiply the attempts
	CodeLayerTimeout          = "layer-timeout"            // another layer's timeout is shorter
	CodeHedgeNeverSent        = "hedge-never-sent"         // the attempt ends before the hedge would start
	CodeDefaultRetries        = "default-retries"          // somebody retries though nobody declared it
)

// Effective is the policy that really acts.
type Effective struct {
	// Timeouts holds, in seconds, the timeout in force for attempt 1, 2, … of a
	// call whose attempts fail in the slowest way the policy retries: each one
	// times out. Where timeouts are not retried, the failures before an attempt
	// are errors, which are taken to come at once, so that only backoff uses up
	// the deadline. An entry of 0 is an attempt without any limit. There is
	// always at least one entry.
	Timeouts []float64

	// Attempts is how many attempts such a call makes: the length of Timeouts.
	Attempts int

	// WorstCase is the most attempts that one call can make: failures that come
	// at once leave time for retries that timeouts do not.
	WorstCase int

	RetryOnTimeout bool
	Budget         *float64
	Deadline       float64 // seconds; 0: none
	Backoff        Backoff

	HedgeAfter float64 // seconds; 0: no hedge is ever sent
	Longest    float64 // seconds the longest call takes; 0: nothing bounds it

	Differences []Difference // from the declared policy; one of a code at most
}

// Difference is one thing that is declared and does not take effect.
type Difference struct {
	What, Declared, Effective string // "attempts", "3", "2"
	Why                       string // half a sentence for a person
	Code                      string
}

// slack absorbs rounding in sums of seconds: 0.3 − 0.1 − 0.1 is a little below
// 0.1, which shortens nothing.
const slack = 1e-9

// Effective works out what becomes of the declared policy (docs/model.md §5).
//
// A deadline spans all attempts and the backoff between them. Attempt k of a
// call whose attempts all time out gets
//
//	min(Timeout, Deadline − Σ_{i<k}(timeout_i + mean backoff_i))
//
// and never starts when nothing is left. Mean backoff is used because the
// result feeds expectations; Longest uses the longest backoff. A timeout that
// is not below the deadline is dead: one attempt with the deadline as its
// timeout, and a timed-out attempt is never retried. Without a timeout the
// deadline is the timeout of the one attempt.
func (p Policy) Effective() Effective {
	p = p.declared()
	undeclared := p.DefaultRetries > 0 && p.Retries == 0
	if undeclared {
		p.Retries, p.RetryOnTimeout = p.DefaultRetries, false
	}
	e := Effective{RetryOnTimeout: p.RetryOnTimeout, Budget: p.Budget, Deadline: p.Deadline, Backoff: p.Backoff}
	if undeclared {
		e.differ(CodeDefaultRetries, Difference{What: "attempts", Declared: "1", Effective: strconv.Itoa(p.Retries + 1),
			Why: fmt.Sprintf("%s retries errors %d times where policy.retries is not set; set it, to 0 if it is switched off", p.DefaultBy, p.Retries)})
	}
	p = e.fold(p)
	n := p.Retries + 1
	if p.AttemptLimit > 0 && p.AttemptLimit < n {
		e.differ(CodeAttemptLimit, Difference{What: "attempts", Declared: strconv.Itoa(n), Effective: strconv.Itoa(p.AttemptLimit),
			Why: "the client library allows no more"})
		n = p.AttemptLimit
	}
	e.Timeouts = p.timeouts(n)
	e.Attempts = len(e.Timeouts)
	e.WorstCase = p.started(n)
	e.Longest = p.longest(n)
	e.compareDeadline(p, n)
	e.hedge(p)
	return e
}

// timeouts returns Effective.Timeouts for at most n attempts.
func (p Policy) timeouts(n int) []float64 {
	first := p.Timeout
	if p.Deadline > 0 && (first == 0 || first > p.Deadline) {
		first = p.Deadline
	}
	timeouts := append(make([]float64, 0, n), first)
	used := 0.0
	for k := 1; k < n; k++ {
		timeout := first
		if p.Deadline > 0 {
			if p.RetryOnTimeout {
				used += timeouts[k-1]
			}
			used += p.Backoff.Mean(k)
			left := p.Deadline - used
			if left <= p.Deadline*slack {
				break
			}
			if left < first*(1-slack) {
				timeout = left
			}
		}
		timeouts = append(timeouts, timeout)
	}
	return timeouts
}

// started returns how many of n attempts start when failures come at once and
// only backoff uses up the deadline.
func (p Policy) started(n int) int {
	if p.Deadline == 0 {
		return n
	}
	used := 0.0
	for k := 1; k < n; k++ {
		used += p.Backoff.Mean(k)
		if used >= p.Deadline*(1-slack) {
			return k
		}
	}
	return n
}

// longest returns how long a call of n attempts takes at most, 0 for no bound.
func (p Policy) longest(n int) float64 {
	if p.Timeout == 0 {
		return p.Deadline
	}
	all := float64(n)*p.Timeout + p.Backoff.Total(n-1)
	if p.Deadline > 0 {
		return min(all, p.Deadline)
	}
	return all
}

// Outcome returns what a call meets under e when its attempts are cut off with
// the given ratios, one for each entry of e.Timeouts. What errors leave of the
// deadline, hedges, error ratio and correlation are left for the caller to set.
func (e Effective) Outcome(p []float64) Outcome {
	return Outcome{P: p, Attempts: e.WorstCase, RetryOnTimeout: e.RetryOnTimeout, Budget: e.Budget}
}

// Requests is how many requests one call sends at most, hedges included.
func (e Effective) Requests() int {
	if e.HedgeAfter > 0 {
		return 2 * e.WorstCase
	}
	return e.WorstCase
}

func (e *Effective) differ(code string, d Difference) {
	d.Code = code
	e.Differences = append(e.Differences, d)
}
