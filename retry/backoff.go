package retry

import (
	"errors"
	"fmt"
	"math"
)

// Backoff is the wait between attempts, in seconds: before retry k it is
// min(Initial·Multiplier^(k−1), Max), or under full jitter a uniform draw
// between 0 and that. A Max of 0 sets no upper limit; a Multiplier below 1
// (the zero value included) counts as 1. The zero Backoff never waits.
//
// Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog,
// 2015 (full jitter).
type Backoff struct {
	Initial, Multiplier, Max float64
	FullJitter               bool
}

// Validate says what is wrong with b: negative, infinite or undefined values.
func (b Backoff) Validate() error {
	err := errors.Join(validSeconds("backoff initial", b.Initial), validSeconds("backoff max", b.Max))
	if !(b.Multiplier >= 0) || math.IsInf(b.Multiplier, 1) {
		err = errors.Join(err, fmt.Errorf("backoff multiplier must be at least 1, got %v", b.Multiplier))
	}
	return err
}

// Wait returns the longest wait before retry k (1 is the first), in seconds.
func (b Backoff) Wait(k int) float64 {
	initial := seconds(b.Initial)
	if k < 1 || initial == 0 {
		return 0
	}
	multiplier := b.Multiplier
	if !(multiplier > 1) {
		multiplier = 1
	}
	limit := seconds(b.Max)
	if limit == 0 {
		limit = math.MaxFloat64
	}
	return min(initial*math.Pow(multiplier, float64(k-1)), limit)
}

// Mean returns the expected wait before retry k, in seconds: half of Wait under
// full jitter, Wait itself without.
func (b Backoff) Mean(k int) float64 {
	if b.FullJitter {
		return b.Wait(k) / 2
	}
	return b.Wait(k)
}

// Total returns the longest wait over the given number of retries, in seconds.
func (b Backoff) Total(retries int) float64 { return total(b.Wait, retries) }

// MeanTotal returns the expected wait over the given number of retries, in
// seconds.
func (b Backoff) MeanTotal(retries int) float64 { return total(b.Mean, retries) }

func total(wait func(k int) float64, retries int) float64 {
	sum := 0.0
	for k := 1; k <= min(retries, MaxAttempts-1); k++ {
		sum += wait(k)
	}
	return min(sum, math.MaxFloat64)
}
