package retry

import (
	"errors"
	"fmt"
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// ErrNotIdentifiable says that any correlation would explain the counts, or
// none does.
var ErrNotIdentifiable = errors.New("the correlation cannot be told from these counts")

// minEpisodes is how many independent occasions an estimate of correlation, or
// its interval, must rest on.
const minEpisodes = 5

// intervalConfidence is the one-sided confidence of each end of an Interval.
const intervalConfidence = 0.95

// Interval holds the ends of a confidence interval, each at 95% one-sided.
type Interval struct{ Lower, Upper float64 }

// CallCounts counts over one window what became of calls that make at most
// Attempts attempts. Every failure must have been retried: budgets that deny
// retries and deadlines that cut them bend the result.
type CallCounts struct {
	Attempts  int
	Calls     float64
	Retries   float64 // attempts after the first
	Exhausted float64 // calls whose every attempt failed
}

// Correlation is an estimate of how far the attempts of one call share a fate.
type Correlation struct {
	Rho      float64
	P        float64   // failure ratio of an attempt under the estimate
	Interval *Interval // of Rho; nil where there are too few occasions
}

// RhoFromCounters finds the correlation and the failure ratio of an attempt
// that explain the counts (docs/model.md §7). With R = Retries/Calls and
// f = Exhausted/Calls it is (f − R²)/(R − R²) for two attempts; for more it
// solves
//
//	R = Σ_{k<n}[rho·p + (1−rho)·pᵏ]  with  rho = (f − pⁿ)/(p − pⁿ)
//
// for p between f, where rho is 1, and f^(1/n), where it is 0. Fewer exhausted
// calls than independent attempts would leave are read as 0. The interval is
// Clopper–Pearson's for f, with R taken as known.
//
// Errors, all of them ErrNotIdentifiable: less than two attempts, fewer than 5
// retries, nothing but failures, or more exhausted calls than the retries
// allow.
func RhoFromCounters(c CallCounts) (Correlation, error) {
	if err := c.identifiable(); err != nil {
		return Correlation{}, err
	}
	r, f := c.Retries/c.Calls, c.Exhausted/c.Calls
	rho, p := solveRho(c.Attempts, r, f)
	low, _ := solveRho(c.Attempts, r, latency.BinomialLower(c.Exhausted, c.Calls, intervalConfidence))
	high, _ := solveRho(c.Attempts, r, latency.BinomialUpper(c.Exhausted, c.Calls, intervalConfidence))
	return Correlation{Rho: rho, P: p, Interval: &Interval{min(low, rho), max(high, rho)}}, nil
}

// contradiction is how far exhausted calls may exceed what the retries allow
// before they count as contradictory: two counters are never read at one moment.
const contradiction = 1.05

func (c CallCounts) identifiable() error {
	n := float64(c.Attempts - 1)
	switch {
	case c.Attempts < 2 || c.Attempts > MaxAttempts:
		return fmt.Errorf("%w: a call must make between 2 and %d attempts, not %d", ErrNotIdentifiable, MaxAttempts, c.Attempts)
	case !(c.Calls > 0) || math.IsInf(c.Calls, 1) || !(c.Retries >= 0) || !(c.Exhausted >= 0):
		return fmt.Errorf("%w: %v calls, %v retries and %v exhausted calls", ErrNotIdentifiable, c.Calls, c.Retries, c.Exhausted)
	case c.Retries < minEpisodes:
		return fmt.Errorf("%w: %.3g retries are too few, %d are needed", ErrNotIdentifiable, c.Retries, minEpisodes)
	case c.Retries >= n*c.Calls*(1-slack):
		return fmt.Errorf("%w: %.6g retries of %.6g calls: every attempt fails, or calls make more than %d attempts",
			ErrNotIdentifiable, c.Retries, c.Calls, c.Attempts)
	case c.Exhausted*n > c.Retries*contradiction:
		return fmt.Errorf("%w: %.6g calls of %d attempts used them up, and only %.6g attempts were retries",
			ErrNotIdentifiable, c.Exhausted, c.Attempts, c.Retries)
	}
	return nil
}

// solveRho returns rho and p for n attempts, r retries and f exhausted calls
// per call, 0 < r < n−1. An f beyond either end gives that end.
func solveRho(n int, r, f float64) (rho, p float64) {
	if f >= r/float64(n-1) {
		return 1, r / float64(n-1)
	}
	all := float64(n)
	shared := func(p float64) float64 { return (f - math.Pow(p, all)) / (p - math.Pow(p, all)) }
	independent := bisect(0, 1, func(p float64) bool { return retriesAt(n, p, 0) < r })
	if math.Pow(independent, all) >= f {
		return 0, independent
	}
	if n == 2 {
		return (f - r*r) / (r - r*r), r
	}
	p = bisect(f, math.Pow(f, 1/all), func(p float64) bool { return retriesAt(n, p, shared(p)) < r })
	return ratio(shared(p)), p
}

// retriesAt returns Σ_{k<n}[rho·p + (1−rho)·pᵏ].
func retriesAt(n int, p, rho float64) float64 {
	sum, power := 0.0, 1.0
	for range n - 1 {
		power *= p
		sum += mix(rho, p, power)
	}
	return sum
}

// bisect returns the point between low and high where below turns false, to
// the last bit. It ends at once when either end is not a number.
func bisect(low, high float64, below func(x float64) bool) float64 {
	middle := low + (high-low)/2
	for middle > low && middle < high {
		if below(middle) {
			low = middle
		} else {
			high = middle
		}
		middle = low + (high-low)/2
	}
	return middle
}
