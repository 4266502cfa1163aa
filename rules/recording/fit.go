package recording

import (
	"fmt"
	"math"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

const (
	median = 0.5
	p99    = 0.99
)

// fit is PromQL for the lognormal through the quantiles: its sigma, and how many
// sigmas the logarithm of the timeout lies above mu.
type fit struct{ sigma, score string }

// fitOf is sigma = ln(p99/p50)/z99, mu = ln p50, or the least squares line of
// ln q on z through more quantiles (docs/model.md §1). Where the quantiles do
// not spread or are out of order, and where p99 is only a lower bound, there is
// no sigma.
func fitOf(s subject, src source) fit {
	if len(s.dep.Latency.Quantiles) > 2 {
		return leastSquares(s, src)
	}
	sigma := fmt.Sprintf("ln(%s / %s) / %s > 0", s.read(P99), s.read(P50), number(score(p99)))
	if src.largest != "" {
		sigma += fmt.Sprintf("\nunless %s\nunless %s", s.inTopBucket(), s.inFirstBucket())
	}
	return fit{
		sigma: sigma,
		score: fmt.Sprintf("ln(%s / %s) / %s", number(s.policy.Limit), s.read(P50), s.read(Sigma)),
	}
}

// inTopBucket has a value while p99 lies beyond the highest finite bound.
// derivation: where the rank of a quantile lies in the +Inf bucket,
// histogram_quantile is the highest finite bound, for the quantile 1 as for p99.
// Where it lies in any other bucket, p99 is below the bucket's end, and so below
// the quantile 1.
func (s subject) inTopBucket() string {
	return fmt.Sprintf("(%s >= %s)", s.read(P99), s.read(Largest))
}

// inFirstBucket has a value while p50 and p99 both lie in the first bucket,
// where they say nothing of each other. derivation: quantiles in a bucket that
// begins at 0 are to each other as their ranks, 0.99/0.5, by linear
// interpolation; in other buckets that takes a coincidence of nine digits.
func (s subject) inFirstBucket() string {
	return fmt.Sprintf("(abs(%s / %s - %s) < 1e-9)", s.read(P99), s.read(P50), number(p99/median))
}

func score(p float64) float64 { return latency.NormalSurvivalQuantile(1 - p) }

func leastSquares(s subject, src source) fit {
	quantiles := s.dep.Latency.Quantiles // ascending
	n := float64(len(quantiles))
	mean, square := 0.0, 0.0
	for _, q := range quantiles {
		mean += score(q.P) / n
	}
	for _, q := range quantiles {
		square += (score(q.P) - mean) * (score(q.P) - mean)
	}
	var slope, level, order []string
	for i, q := range quantiles {
		at := "ln(" + src.quantile(q.P) + ")"
		share := (score(q.P) - mean) / square
		slope = append(slope, fmt.Sprintf("%s * %s", at, number(share)))
		level = append(level, fmt.Sprintf("%s * %s", at, number(1/n-share*mean)))
		if i > 0 {
			order = append(order, fmt.Sprintf("(%s) >= (%s)", src.quantile(q.P), src.quantile(quantiles[i-1].P)))
		}
	}
	return fit{
		sigma: fmt.Sprintf("(%s > 0)\nand on () (%s)", strings.Join(slope, "\n+ "), strings.Join(order, "\nand on () ")),
		score: fmt.Sprintf("(%s - (%s)) / on () %s", number(math.Log(s.policy.Limit)), strings.Join(level, "\n+ "), s.read(Sigma)),
	}
}
