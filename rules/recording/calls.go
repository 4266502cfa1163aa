package recording

import (
	"fmt"
	"math"

	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

// calls is what follows from the false-timeout ratio p for calls with retries
// (docs/model.md §5), as PromQL over the recorded p and e.
//
// Where a deadline cuts attempts short, errors use up time too, and how much
// depends on the data. The rules take the worse end for each figure: as long as
// the timeout for fallbacks, no time for attempts. So both err on the loud side,
// and are exact wherever the deadline holds all attempts or nothing but timeouts
// fails.
type calls struct {
	p, last, e string // of an attempt, of the last one, which may have less time

	rho            float64
	slow           int // attempts when every failure takes as long as the timeout
	timeouts       int // after which a call has failed
	fast           int // attempts when errors come at once
	retryOnTimeout bool
	budget         *float64
	share          string // recorded share of calls that are granted retries; empty without a budget
}

// calls are the rules for what becomes of whole calls.
func (s subject) calls() []rulefile.Rule {
	if s.callScope() { // the retries are inside what was measured
		return []rulefile.Rule{s.record(FallbackRatio, s.read(FalseTimeoutRatio), "cause", "timeout")}
	}
	rules := []rulefile.Rule{s.record(ErrorRatio, s.errorRatio())}
	if s.hedged() {
		return rules
	}
	c, less := s.retries()
	if less > 0 {
		rules = append(rules,
			s.record(LastScore, fmt.Sprintf("%s - %s / %s", s.read(Score), number(math.Log(s.policy.Limit/less)), s.read(Sigma))),
			s.record(LastFalseTimeout, upperTail(s.read(LastScore))))
	}
	if c.share != "" {
		rules = append(rules, s.record(RetryShare, c.granted()))
	}
	timedOut, erred, mixed := c.fallback()
	return append(rules,
		s.record(FallbackRatio, timedOut, "cause", "timeout"),
		s.record(FallbackRatio, erred, "cause", "error"),
		s.record(FallbackRatio, mixed, "cause", "mixed"),
		s.record(Amplification, c.amplification()),
	)
}

// hedged calls send a second request beside an open one, which the rules leave
// to the auditor.
func (s subject) hedged() bool { return s.policy.Effective.HedgeAfter > 0 }

// retries works out the attempts of a call, and the seconds that its last one
// has where these are fewer than the others have, else 0.
func (s subject) retries() (c calls, less float64) {
	e, limit := s.policy.Effective, s.policy.Limit
	c = calls{
		p: s.read(FalseTimeoutRatio), last: s.read(FalseTimeoutRatio), e: s.read(ErrorRatio),
		rho:  s.policy.Correlation.Value,
		slow: e.WorstCase, timeouts: e.Attempts, fast: e.WorstCase,
		retryOnTimeout: e.RetryOnTimeout, budget: e.Budget,
	}
	lasts := limit
	if rows := e.AfterErrors(limit); rows != nil {
		c.slow = 1
		for c.slow <= len(rows) && len(rows[c.slow-1]) > 0 {
			lasts = rows[c.slow-1][0]
			c.slow++
		}
	}
	if s.dep.ErrorRatio.Query == "" && s.dep.ErrorRatio.Value == 0 && e.RetryOnTimeout {
		c.fast = e.Attempts // nothing but timeouts fails
	}
	if c.budget != nil && c.fast > 1 {
		c.share = s.read(RetryShare)
	}
	if lasts < limit {
		c.last, less = s.read(LastFalseTimeout), lasts
	}
	return c, less
}

// errorRatio is e: clamped to what is left beside the timeouts, without those
// that it counts itself.
func (s subject) errorRatio() string {
	p, given := s.read(FalseTimeoutRatio), s.dep.ErrorRatio
	if given.Query == "" {
		if s.dep.ErrorRatioIncludesTimeouts {
			return fmt.Sprintf("clamp_min(%s - %s, 0)", number(given.Value), p)
		}
		return fmt.Sprintf("clamp_max(1 - %s, %s)", p, number(given.Value))
	}
	e := fmt.Sprintf("clamp(%s, 0, 1)", single(expand(given.Query, s.dep)))
	if s.each != nil { // one ratio for all
		e = fmt.Sprintf("(0 * %s + on () group_left () %s)", p, e)
		if s.dep.ErrorRatioIncludesTimeouts {
			return fmt.Sprintf("clamp_min(%s - %s, 0) >= 0", e, p)
		}
		return fmt.Sprintf("(%[1]s <= 1 - %[2]s)\nor (1 - %[2]s < %[1]s)", e, p)
	}
	if s.dep.ErrorRatioIncludesTimeouts {
		return fmt.Sprintf("clamp_min(%s - on () %s, 0) >= 0", e, p)
	}
	return fmt.Sprintf("(%[1]s <= on () (1 - %[2]s))\nor on () ((1 - %[2]s) < on () %[1]s)", e, p)
}
