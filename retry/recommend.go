package retry

import "math"

// RecommendOptions is what a recommended timeout rests on. Times are seconds.
type RecommendOptions struct {
	Quantile float64 // latency that the target ratio of attempts exceeds; above 0
	Headroom float64 // added on top: 0.1 is 10%
	P99      float64 // the floor; 0: not known
	Budget   float64 // the longest timeout the caller can afford; 0: no limit
	Declared float64 // the timeout now; 0: none
	MaxStep  float64 // most times longer or shorter at once; 1 or less: no limit
}

// Recommendation is a timeout to reach and the next step towards it, in
// seconds. All are 0 when there is nothing to recommend.
type Recommendation struct {
	Unclipped float64 // Quantile·(1 + Headroom)
	Timeout   float64 // after the floor and the budget
	Step      float64 // Timeout, at most MaxStep times away from what is declared

	AtFloor bool // p99 raised it
	Clipped bool // the budget lowered it

	// OverBudget: not even p99 fits into the budget. Timeout is the floor then,
	// since a shorter one fails healthy calls, and what has to change is the
	// budget: fewer retries, a faster or one less hop, a longer deadline.
	OverBudget bool
}

// Recommend returns T* = Quantile·(1 + Headroom), at least p99, within the
// budget, and the step towards it (docs/model.md §9). A quantile that is not a
// positive, finite number recommends nothing; other values that are not
// positive and finite count as not given.
func Recommend(o RecommendOptions) Recommendation {
	quantile, floor, budget := seconds(o.Quantile), seconds(o.P99), seconds(o.Budget)
	if quantile == 0 {
		return Recommendation{}
	}
	r := Recommendation{Unclipped: min(quantile*(1+seconds(o.Headroom)), math.MaxFloat64)}
	r.Timeout = r.Unclipped
	if r.Timeout < floor {
		r.Timeout, r.AtFloor = floor, true
	}
	if budget > 0 && budget < r.Timeout {
		r.OverBudget = budget < floor
		r.Clipped = !r.OverBudget
		r.Timeout = max(budget, floor)
	}
	r.Step = r.Timeout
	if declared, step := seconds(o.Declared), seconds(o.MaxStep); declared > 0 && step > 1 {
		r.Step = min(max(r.Timeout, declared/step), declared*step, math.MaxFloat64)
	}
	return r
}
