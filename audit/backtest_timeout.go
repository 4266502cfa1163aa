package audit

import (
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// under judges every window of the past by one timeout.
func under(past []pastStep, timeout float64) TimeoutPast {
	t := TimeoutPast{Timeout: timeout}
	var sum tally
	for _, s := range past {
		if !s.counted() {
			t.Unknown++
			continue
		}
		verdict, readable := sum.window(s, timeout)
		switch {
		case !readable:
			t.Unknown++
		case verdict == latency.VerdictAbove:
			t.Above++
		case verdict == latency.VerdictBelow:
			t.Below++
		default:
			t.Undecided++
		}
	}
	t.Cut = sum.share()
	return t
}

// tally adds up what windows say about one timeout.
type tally struct {
	above, possible, total float64
	excess, weight         float64 // Σ dispersion · count, since variances add up, and Σ count
	points                 float64 // Σ point · total
	unread                 bool    // some window has no point
}

// window adds one window, and says how it decides on 1%. readable is false where
// the timeout in force has bent it too much to say.
func (t *tally) window(s pastStep, timeout float64) (verdict latency.Verdict, readable bool) {
	tail := s.Tail
	switch {
	case same(timeout, s.Limit):
	case s.Sees(timeout):
		read := latency.ReadTail(s.Observation, latency.TailOptions{
			Timeout: timeout, Recording: latency.RecordingUncensored, UnitScale: s.Dependency.Latency.UnitScale, Models: s.Tail.Models,
		})
		tail = &read
	default:
		return t.bent(s, timeout)
	}
	if len(tail.Readings) == 0 {
		t.unread = true
		return latency.VerdictUncertain, false
	}
	e := tail.Readings[0].Now
	for _, reading := range tail.Readings[1:] {
		e.Above = min(e.Above, reading.Now.Above)
		e.Possible = max(e.Possible, reading.Now.Possible)
	}
	for _, reading := range tail.Readings {
		if reading.Extrapolated {
			e.Possible = max(e.Possible, reading.Upper*e.Total)
		}
	}
	t.add(e, tail.Dispersion, tail.Point)
	return tail.Compare(P99Ratio), true
}

func (t *tally) add(e latency.Evidence, dispersion, point float64) {
	t.above += e.Above
	t.possible += e.Possible
	t.total += e.Total
	t.points += point * e.Total
	count := max(e.Possible, 1e-9*e.Total) // where nothing is counted, all calls weigh alike
	t.excess += dispersion * count
	t.weight += count
}

// bent adds a window of which only this is sure: a longer timeout cuts at most
// as much as the one in force, and a shorter one at least as much, and at most
// what was counted beyond it and what may have been lost together
// (docs/model.md §3). Where that decides, it is readable all the same.
func (t *tally) bent(s pastStep, timeout float64) (verdict latency.Verdict, readable bool) {
	n := s.Tail.Samples
	t.unread = true
	verdict = s.Tail.Compare(P99Ratio)
	if timeout > s.Limit {
		t.add(latency.Evidence{Possible: s.Tail.Upper * n, Total: n}, s.Tail.Dispersion, 0)
		return verdict, verdict == latency.VerdictBelow
	}
	_, beyond := s.Tail.Merged.CountAbove(timeout)
	possible := beyond*s.Observation.Now.Honest() + s.Tail.Upper*n
	t.add(latency.Evidence{Above: s.Tail.Lower * n, Possible: min(possible, n), Total: n}, s.Tail.Dispersion, 0)
	return verdict, verdict == latency.VerdictAbove
}

// bracketSide is the confidence of each end of the hard bracket.
const bracketSide = 0.995

func (t *tally) share() *PastShare {
	if !(t.total > 0) {
		return nil
	}
	e := latency.Evidence{Above: t.above, Possible: t.possible, Total: t.total, Dispersion: t.excess / t.weight}
	share := PastShare{Lower: e.Lower(bracketSide), Upper: e.Upper(bracketSide)}
	if !t.unread {
		point := min(max(t.points/t.total, share.Lower), share.Upper)
		share.Point = &point
	}
	return &share
}
