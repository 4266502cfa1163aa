package retry

import (
	"fmt"
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// WindowCount holds the raw counts of one sub-window.
type WindowCount struct {
	Timeouts, Attempts float64
}

// WindowCorrelation is what the ups and downs of the timeout ratio say about
// correlation.
type WindowCorrelation struct {
	Rho      float64 // a lower bound
	P        float64 // timeouts ÷ attempts over all windows
	Moment   float64 // fallback ratio if each window's ratio ruled all attempts of a call
	Episodes int     // runs of windows with a ratio above P
	Interval *Interval
}

// RhoFromWindows finds the correlation that the variation between consecutive
// sub-windows accounts for, for calls of n attempts (docs/model.md §7):
//
//	M = Σ N_t·[k(k−1)…(k−n+1) / N(N−1)…(N−n+1)]_t / Σ N_t,  rho = (M − p̄ⁿ)/(p̄ − p̄ⁿ)
//
// The falling factorials make M unbiased where (k/N)ⁿ would count chance as
// correlation. What is shared for less than a window stays hidden, so that rho
// is a lower bound. It is pooled over replicas unless retries stick to one. The
// interval is a jackknife over windows; there is none with fewer than 5
// episodes.
//
// Errors, all of them ErrNotIdentifiable: less than two attempts, fewer than
// two windows with at least n attempts, no timeouts or nothing but timeouts, or
// counts that are not counts.
func RhoFromWindows(n int, windows []WindowCount) (WindowCorrelation, error) {
	if n < 2 || n > MaxAttempts {
		return WindowCorrelation{}, fmt.Errorf("%w: a call must make between 2 and %d attempts, not %d", ErrNotIdentifiable, MaxAttempts, n)
	}
	usable := make([]WindowCount, 0, len(windows))
	for i, w := range windows {
		if !(w.Timeouts >= 0 && w.Timeouts <= w.Attempts) || math.IsInf(w.Attempts, 1) {
			return WindowCorrelation{}, fmt.Errorf("%w: window %d has %v timeouts of %v attempts", ErrNotIdentifiable, i+1, w.Timeouts, w.Attempts)
		}
		if w.Attempts >= float64(n) {
			usable = append(usable, w)
		}
	}
	if len(usable) < 2 {
		return WindowCorrelation{}, fmt.Errorf("%w: only %d windows have %d attempts or more", ErrNotIdentifiable, len(usable), n)
	}
	c, ok := correlateWindows(n, usable)
	if !ok {
		return WindowCorrelation{}, fmt.Errorf("%w: a ratio of %g timeouts leaves nothing to compare", ErrNotIdentifiable, c.P)
	}
	c.Episodes = episodes(usable, c.P)
	if c.Episodes >= minEpisodes {
		c.Interval = jackknife(n, usable, c.Rho)
	}
	return c, nil
}

// correlateWindows does the sums; not ok when all or none of the attempts timed
// out.
func correlateWindows(n int, windows []WindowCount) (c WindowCorrelation, ok bool) {
	timeouts, attempts, weighted := 0.0, 0.0, 0.0
	for _, w := range windows {
		timeouts += w.Timeouts
		attempts += w.Attempts
		chance := 1.0
		for i := range n {
			chance *= max(w.Timeouts-float64(i), 0) / (w.Attempts - float64(i))
		}
		weighted += w.Attempts * chance
	}
	c.P, c.Moment = timeouts/attempts, weighted/attempts
	independent := math.Pow(c.P, float64(n))
	if c.P <= independent {
		return c, false
	}
	c.Rho = ratio((c.Moment - independent) / (c.P - independent))
	return c, true
}

// episodes counts runs of windows whose ratio lies above p.
func episodes(windows []WindowCount, p float64) int {
	runs, inside := 0, false
	for _, w := range windows {
		above := w.Timeouts > p*w.Attempts
		if above && !inside {
			runs++
		}
		inside = above
	}
	return runs
}

// jackknife returns rho ± z·se, se from leaving out one window at a time.
//
// Source: B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap",
// Chapman & Hall, 1993, ch. 11.
func jackknife(n int, windows []WindowCount, rho float64) *Interval {
	count := float64(len(windows))
	left := make([]float64, 0, len(windows))
	mean := 0.0
	for i := range windows {
		others := append(append([]WindowCount(nil), windows[:i]...), windows[i+1:]...)
		c, ok := correlateWindows(n, others)
		if !ok {
			return nil
		}
		left = append(left, c.Rho)
		mean += c.Rho / count
	}
	squares := 0.0
	for _, l := range left {
		squares += (l - mean) * (l - mean)
	}
	reach := latency.NormalSurvivalQuantile(1-intervalConfidence) * math.Sqrt(squares*(count-1)/count)
	return &Interval{max(rho-reach, 0), min(rho+reach, 1)}
}
