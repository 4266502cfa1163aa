package config

import (
	"math"
	"time"
)

// scope is where the keys of one dependency may come from.
type scope struct {
	*reader
	own       string   // path of the dependency, or of the defaults
	inherited []string // where else, nearest first; none for the defaults themselves
}

// find gives the mark of a key and whether it is the dependency's own.
func (s scope) find(key string) (m mark, own, set bool) {
	if m, set := s.seen[s.own+"."+key]; set {
		return m, true, true
	}
	for _, from := range s.inherited {
		if m, set := s.seen[from+"."+key]; set {
			return m, false, true
		}
	}
	return mark{}, false, false
}

// sound says that none of the keys is set to something unreadable.
func (s scope) sound(keys ...string) bool {
	for _, key := range keys {
		if m, _, set := s.find(key); set && !m.sound {
			return false
		}
	}
	return true
}

// conflict reports keys that contradict each other, at the first of them that
// is the scope's own. Without an own one the contradiction is in the defaults,
// where it was reported already.
func (s scope) conflict(keys []string, format string, args ...any) {
	if !s.sound(keys...) {
		return
	}
	for _, key := range keys {
		if m, own, _ := s.find(key); own {
			s.problem(m.line, s.own+"."+key, format, args...)
			return
		}
	}
}

// check refuses what no policy can mean. Policies that are merely unwise, such
// as a timeout beyond the deadline, are for rules to find.
func (s scope) check(d *draft) {
	p := d.Policy
	if p.HedgeAfter > 0 && p.Timeout > 0 && p.HedgeAfter >= p.Timeout {
		s.conflict([]string{"policy.hedge_after", "policy.timeout"},
			"hedge_after %s must be below timeout %s, or the hedge never starts", spell(p.HedgeAfter), spell(p.Timeout))
	}
	if p.HedgeAfter > 0 && p.Deadline > 0 && p.HedgeAfter >= p.Deadline {
		s.conflict([]string{"policy.hedge_after", "policy.deadline"},
			"hedge_after %s must be below deadline %s, or the hedge never starts", spell(p.HedgeAfter), spell(p.Deadline))
	}
	if p.Backoff.Max > 0 && p.Backoff.Max < p.Backoff.Initial {
		s.conflict([]string{"policy.backoff.max", "policy.backoff.initial"},
			"max %s must be at least initial %s", spell(p.Backoff.Max), spell(p.Backoff.Initial))
	}
	if wait := expectedBackoff(p); p.Deadline > 0 && wait >= p.Deadline {
		s.conflict([]string{"policy.deadline", "policy.backoff.initial", "policy.backoff.multiplier", "policy.backoff.max", "policy.backoff.jitter", "policy.retries"},
			"deadline %s must be longer than the backoff before %d retries, which alone takes %s", spell(p.Deadline), p.Retries, spell(wait))
	}
	s.checkLayers(p)
	s.settlePreset(d)
	s.settleSource(d)
	s.settleUnit(d)
	s.settleConnect(d)
}

// expectedBackoff is the time that all retries of a call wait together: the
// sum of min(Initial·Multiplier^(k−1), Max), of which full jitter takes half on
// average (docs/model.md §5). It saturates where a Duration would overflow.
func expectedBackoff(p Policy) time.Duration {
	wait, sum := float64(p.Backoff.Initial), 0.0
	for range p.Retries {
		if p.Backoff.Max > 0 {
			wait = min(wait, float64(p.Backoff.Max))
		}
		sum += wait
		wait *= p.Backoff.Multiplier
	}
	if p.Backoff.Jitter == "full" {
		sum /= 2
	}
	const longest = 365 * 24 * time.Hour
	return time.Duration(math.Min(sum, float64(longest))).Round(time.Microsecond)
}
