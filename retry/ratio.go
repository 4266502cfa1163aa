package retry

import (
	"fmt"
	"math"
)

// MaxAttempts bounds the attempts of one call, and with it every loop here. No
// client library that retries needs more; larger values are counted as this
// many and refused by Validate.
const MaxAttempts = 101

// ratio clamps x to 0..1. NaN counts as 1: an unknown never looks fine.
func ratio(x float64) float64 {
	if math.IsNaN(x) {
		return 1
	}
	return min(max(x, 0), 1)
}

// seconds reads a time limit or wait. NaN, negative and infinite values mean
// none, as 0 does.
func seconds(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return 0
	}
	return x
}

// cost reads seconds that something takes. An unknown cost, NaN, counts as more
// than any deadline; negative ones count as 0.
func cost(x float64) float64 {
	if math.IsNaN(x) {
		return math.MaxFloat64
	}
	return min(max(x, 0), math.MaxFloat64)
}

// room reads seconds that are there to be spent. Unknown room, NaN, is none.
func room(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, math.MaxFloat64)
}

// attempts clamps n to 1..MaxAttempts.
func attempts(n int) int { return min(max(n, 1), MaxAttempts) }

// Repeat returns p once for each attempt, for Outcome.P where no deadline
// shortens later attempts.
func Repeat(p float64, n int) []float64 {
	repeated := make([]float64, attempts(n))
	for i := range repeated {
		repeated[i] = p
	}
	return repeated
}

func validRatio(name string, x float64) error {
	if !(x >= 0 && x <= 1) {
		return fmt.Errorf("%s must be between 0 and 1, got %v", name, x)
	}
	return nil
}

func validSeconds(name string, x float64) error {
	if !(x >= 0) || math.IsInf(x, 1) {
		return fmt.Errorf("%s must be 0 (none) or a positive number of seconds, got %v", name, x)
	}
	return nil
}
