package retry

// Fallback is the share of calls whose every attempt fails, by cause. Each
// share lies between 0 and 1, and so does their sum.
type Fallback struct {
	Timeout float64 `json:"timeout_ratio"` // every attempt made timed out
	Error   float64 `json:"error_ratio"`   // every attempt made ended in an error
	Mixed   float64 `json:"mixed_ratio"`   // some timed out, some ended in an error
}

// Total returns the fallback ratio F.
func (f Fallback) Total() float64 { return min(f.Timeout+f.Error+f.Mixed, 1) }

// FallbackRatio returns the share of calls that use up all their attempts and
// end in a fallback.
//
// With n attempts that may all time out, q = p + e and the correlation rho
// (docs/model.md §5) the shares are
//
//	timeout: rho·p + (1−rho)·pⁿ
//	error:   rho·e + (1−rho)·eⁿ
//	mixed:   (1−rho)·(qⁿ − pⁿ − eⁿ)
//
// derivation: a share rho of the calls meets one fate. The first attempt
// decides it, since a later one has no more time: p of them time out, e fail,
// whatever the number of attempts. The attempts of the others are independent
// draws, and call.walk adds up their sequences, which covers timeouts that
// are not retried and deadlines that shorten or drop later attempts.
//
// A retry budget b grants all retries or none to a call: a share
// s = min(1, b/(A−1)) of the calls that ask for retries gets them, so that
// F = s·F + (1−s)·q.
func FallbackRatio(o Outcome) Fallback {
	c := o.call()
	own := c.walk(nil)
	p, e := c.first()
	f := Fallback{
		Timeout: mix(c.rho, p, own.Timeout),
		Error:   mix(c.rho, e, own.Error),
		Mixed:   (1 - c.rho) * own.Mixed,
	}
	s := RetryShare(o)
	if s == 1 {
		return f
	}
	c.n = 1
	once := c.walk(nil)
	return Fallback{
		Timeout: mix(s, f.Timeout, mix(c.rho, p, once.Timeout)),
		Error:   mix(s, f.Error, mix(c.rho, e, once.Error)),
		Mixed:   s * f.Mixed,
	}
}

// IndependentFallback returns the fallback ratio if the attempts of a call had
// nothing in common and no budget held them back: the sum of the two pure
// causes pⁿ + eⁿ, and the whole qⁿ, which counts mixed sequences too.
func IndependentFallback(o Outcome) (byCause, withMixed float64) {
	o.Correlation, o.Budget = 0, nil
	f := FallbackRatio(o)
	return f.Timeout + f.Error, f.Total()
}

// FallbackRange returns the fallback ratios of independent attempts and of
// attempts that share one fate. Whatever the correlation is, the fallback ratio
// lies between the two.
func FallbackRange(o Outcome) (independent, sharedFate float64) {
	o.Correlation = 0
	independent = FallbackRatio(o).Total()
	o.Correlation = 1
	return independent, FallbackRatio(o).Total()
}

// walk follows the independent attempts of a call and returns how it ends in
// failure. Before each attempt it calls visit, when not nil, with the errors and
// timeouts so far and the probability of getting there.
//
// derivation: after j errors and t timeouts the next attempt times out with
// p[j][t] and fails otherwise with e. The call has failed where that leads to no
// further attempt. All terms are positive, so nothing cancels where
// qⁿ − pⁿ − eⁿ would.
func (c call) walk(visit func(errors, timeouts int, probability float64)) Fallback {
	var failed Fallback
	var buffers [2][MaxAttempts + 1]float64
	reached, next := buffers[0][:], buffers[1][:] // by timeouts so far
	reached[0] = 1
	for k := range c.n {
		clear(next[:k+2])
		for t := range k + 1 {
			w := reached[t]
			if w == 0 {
				continue
			}
			if visit != nil {
				visit(k-t, t, w)
			}
			timedOut, erred, _ := c.attempt(k-t, t)
			if c.open(k-t, t+1) {
				next[t+1] += w * timedOut
			} else {
				failed.add(w*timedOut, k+1, t+1)
			}
			if c.open(k-t+1, t) {
				next[t] += w * erred
			} else {
				failed.add(w*erred, k+1, t)
			}
		}
		reached, next = next, reached
	}
	return failed
}

// add counts calls that failed for good after the given number of failures.
func (f *Fallback) add(probability float64, failures, timeouts int) {
	switch timeouts {
	case failures:
		f.Timeout += probability
	case 0:
		f.Error += probability
	default:
		f.Mixed += probability
	}
}

// mix returns w·a + (1−w)·b, exactly a for w = 1 and b for w = 0.
func mix(w, a, b float64) float64 { return w*a + (1-w)*b }
