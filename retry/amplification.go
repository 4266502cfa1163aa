package retry

// Amplification returns the expected attempts per call A, from 1 to the number
// of attempts.
//
// With n attempts that may all time out it is
// A = 1 + Σ_{k=1}^{n−1}[rho·q + (1−rho)·qᵏ]; with timeouts not retried, e stands
// for q (docs/model.md §5). A retry budget b keeps it at 1 + b.
func Amplification(o Outcome) float64 {
	retries := o.call().retries()
	if o.Budget != nil {
		retries = min(retries, budget(*o.Budget))
	}
	return 1 + retries
}

// RetryShare returns the share s of calls in need of retries to which the
// budget grants them: min(1, b/(A−1)), and 1 where no retry is needed or no
// budget is set.
func RetryShare(o Outcome) float64 {
	if o.Budget == nil {
		return 1
	}
	retries, granted := o.call().retries(), budget(*o.Budget)
	if retries <= granted {
		return 1
	}
	return granted / retries
}

// WorstCase returns the most attempts that one call can make, whatever the
// ratios are. A budget limits the attempts of many calls, not of one.
func WorstCase(o Outcome) int { return o.call().n }

// retries returns the expected retries per call without a budget.
//
// derivation: of the calls with one fate, p[0] go on timing out until len(p)
// attempts have, e[0] go on failing n times. Each attempt of the others but the
// first is a retry.
func (c call) retries() float64 {
	own := 0.0
	c.walk(func(failures, _ int, probability float64) {
		if failures > 0 {
			own += probability
		}
	})
	fate := c.p[0]*float64(len(c.p)-1) + c.e[0]*float64(c.n-1)
	return min(mix(c.rho, fate, own), float64(c.n-1))
}

// budget reads a retry budget. One that is not a number counts as none, so that
// no load is hidden.
func budget(b float64) float64 {
	if b != b {
		return MaxAttempts
	}
	return max(b, 0)
}
