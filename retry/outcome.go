package retry

import (
	"errors"
	"fmt"
)

// Outcome describes one call: what can become of each attempt, and when
// attempts end. The zero value is a call that always fails.
type Outcome struct {
	// P holds the false-timeout ratio of an attempt after 0, 1, 2, … attempts
	// of the same call have timed out; the call ends when len(P) attempts have.
	// A deadline only ever shortens later attempts, so an entry below the one
	// before it is raised to it. An empty P is one attempt that always times
	// out. See Repeat and Effective.Outcome.
	P []float64

	E           float64 // error ratio: attempts that fail otherwise than by timeout
	Correlation float64 // rho: share of calls whose attempts all meet one fate

	// Attempts is the most attempts of one call, 1 to MaxAttempts. 0: len(P).
	Attempts int

	// RetryOnTimeout tells whether an attempt that timed out is retried.
	RetryOnTimeout bool

	Budget *float64 // retries ÷ calls that a retry budget grants; nil: no budget
}

// Validate says everything that is wrong with o: ratios outside 0..1 or not a
// number, p + e above 1, a number of attempts outside 0..MaxAttempts. The
// arithmetic itself clamps: NaN counts as 1, and where p + e > 1, e gives way.
func (o Outcome) Validate() error {
	err := errors.Join(validRatio("error ratio", o.E), validRatio("correlation", o.Correlation))
	if len(o.P) == 0 {
		err = errors.Join(err, errors.New("no false-timeout ratio is given"))
	}
	for i, p := range o.P {
		err = errors.Join(err, validRatio(fmt.Sprintf("false-timeout ratio of attempt %d", i+1), p))
	}
	if len(o.P) > 0 && o.P[0]+o.E > 1 {
		err = errors.Join(err, fmt.Errorf("false-timeout ratio + error ratio must be at most 1, got %v + %v", o.P[0], o.E))
	}
	if o.Attempts < 0 || o.Attempts > MaxAttempts {
		err = errors.Join(err, fmt.Errorf("attempts must be between 1 and %d, got %d", MaxAttempts, o.Attempts))
	}
	if o.Budget != nil && !(*o.Budget >= 0) {
		err = errors.Join(err, fmt.Errorf("retry budget must be 0 or more, got %v", *o.Budget))
	}
	return err
}

// call is an Outcome with every value in its range.
type call struct {
	n   int       // attempts at most
	p   []float64 // by timeouts so far; nondecreasing, 1..n entries
	e   []float64 // by timeouts so far: min(E, 1 − p)
	rho float64
}

func (o Outcome) call() call {
	n := o.Attempts
	if n == 0 {
		n = len(o.P)
	}
	c := call{n: attempts(n), rho: ratio(o.Correlation)}
	given := o.P
	if len(given) == 0 {
		given = []float64{1}
	}
	given = given[:min(len(given), c.n)]
	if !o.RetryOnTimeout {
		given = given[:1]
	}
	e, last := ratio(o.E), 0.0
	c.p, c.e = make([]float64, len(given)), make([]float64, len(given))
	for i, p := range given {
		last = max(last, ratio(p))
		c.p[i], c.e[i] = last, min(e, 1-last)
	}
	return c
}
