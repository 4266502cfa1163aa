package retry

// Amplification returns the expected attempts per call A, from 1 to the number
// of attempts.
//
// With n attempts that may all time out it is
// A = 1 + Σ_{k=1}^{n−1}[rho·q + (1−rho)·qᵏ]; with timeouts not retried, e stands
// for q (docs/model.md §5). A retry budget b keeps it at 1 + b. Hedges come on
// top, S(H) for each attempt, and no budget holds them back.
func Amplification(o Outcome) float64 {
	c := o.call()
	_, requests := c.retries()
	first := 1.0
	if c.hedge != nil {
		_, _, first = c.attempt(0, 0)
	}
	return first + RetryShare(o)*requests
}

// RetryShare returns the share s of calls in need of retries to which the
// budget grants them: min(1, b/(A−1)), and 1 where no retry is needed or no
// budget is set.
func RetryShare(o Outcome) float64 {
	if o.Budget == nil {
		return 1
	}
	retries, _ := o.call().retries()
	granted := budget(*o.Budget)
	if retries <= granted {
		return 1
	}
	return granted / retries
}

// WorstCase returns the most attempts that one call can make, whatever the
// ratios are. A budget limits the attempts of many calls, not of one.
func WorstCase(o Outcome) int { return o.call().n }

// retries returns the expected retries per call without a budget, and the
// requests they send, hedges included.
//
// derivation: of the calls with one fate, p go on timing out and e go on failing
// as long as there is another attempt. Each attempt of the others but the first
// is a retry.
func (c call) retries() (retries, requests float64) {
	c.walk(func(errors, timeouts int, probability float64) {
		if errors+timeouts > 0 {
			_, _, sent := c.attempt(errors, timeouts)
			retries += probability
			requests += probability * sent
		}
	})
	p, e := c.first()
	timeouts, errors := c.inARow()
	timedOut, erred := p*float64(timeouts-1), e*float64(errors-1)
	sentTimedOut, sentErred := c.requestsOfOneFate()
	retries = min(mix(c.rho, timedOut+erred, retries), float64(c.n-1))
	return retries, mix(c.rho, timedOut*sentTimedOut+erred*sentErred, requests)
}

// budget reads a retry budget. One that is not a number counts as none, so that
// no load is hidden.
func budget(b float64) float64 {
	if b != b {
		return MaxAttempts
	}
	return max(b, 0)
}
