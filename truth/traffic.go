package main

import "math/rand/v2"

const (
	minutesPerWindow = 60
	minutesPerPart   = minutesPerWindow / parts
	episodeMinutes   = 5
)

// minute is what was counted in one minute: attempts, and those of them that
// took longer than the timeout.
type minute struct {
	attempts, above float64
}

// traffic says how many attempts come and how many of them take longer than the
// timeout. Episodes of five minutes raise that share for all attempts at once.
type traffic struct {
	perWindow int
	base      float64 // P(X > timeout) outside episodes
	episode   float64 // and inside one
	longRun   float64 // over all attempts; equal to base: there are no episodes
}

// stream is traffic as it comes, minute by minute.
type stream struct {
	traffic
	r     *rand.Rand
	count int // minutes drawn
	left  int // minutes left of the running episode
}

// next draws a minute.
func (s *stream) next() minute {
	if s.left == 0 && s.r.Float64() < s.starts() {
		s.left = episodeMinutes
	}
	p := s.base
	if s.left > 0 {
		s.left--
		p = s.episode
	}
	i := s.count % minutesPerWindow
	s.count++
	n := float64(s.perWindow*(i+1)/minutesPerWindow - s.perWindow*i/minutesPerWindow)
	return minute{n, binomial(s.r, n, p)}
}

// starts returns the chance that an episode starts in a quiet minute, such that
// the long-run share is met: a share f of all minutes lies in episodes if the
// quiet before each lasts episodeMinutes·(1 − f)/f on average. That many quiet
// minutes before one starts is a chance of 1/(1 + that), since none may be quiet.
func (t traffic) starts() float64 {
	if t.longRun == t.base {
		return 0
	}
	f := (t.longRun - t.base) / (t.episode - t.base)
	return 1 / (1 + episodeMinutes*(1-f)/f)
}
