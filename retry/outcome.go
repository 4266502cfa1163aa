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

	// AfterErrors holds P for calls in which errors have used up time: row j−1
	// after j errors. A row without entries is a call that has ended. Nil: P
	// holds after any number of errors. See Effective.AfterErrors.
	AfterErrors [][]float64

	// Hedge is nil where no second request is ever sent beside an open one.
	Hedge *HedgeRatios

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
	for j, row := range o.AfterErrors {
		for i, p := range row {
			err = errors.Join(err, validRatio(fmt.Sprintf("false-timeout ratio after %d errors and %d timeouts", j+1, i), p))
		}
	}
	if o.Hedge != nil {
		err = errors.Join(err, validRatio("ratio of attempts open when the hedge is due", o.Hedge.Open),
			validRatio("ratio of hedges that come too late", o.Hedge.Late))
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
	n     int         // attempts at most
	p     [][]float64 // by errors and timeouts so far; nondecreasing both ways
	e     float64
	rho   float64
	hedge *HedgeRatios
}

func (o Outcome) call() call {
	n := o.Attempts
	if n == 0 {
		n = len(o.P)
	}
	c := call{n: attempts(n), e: ratio(o.E), rho: ratio(o.Correlation), hedge: o.Hedge}
	given := o.P
	if len(given) == 0 {
		given = []float64{1}
	}
	c.p = make([][]float64, c.n)
	c.p[0] = o.rising(given[:min(len(given), c.n)], nil)
	for j := 1; j < c.n; j++ {
		switch {
		case len(o.AfterErrors) == 0:
			c.p[j] = c.p[0]
		case j <= len(o.AfterErrors):
			c.p[j] = o.rising(o.AfterErrors[j-1], c.p[j-1])
		}
	}
	return c
}

// rising raises each ratio to the one before it and to the one with an error
// less. Where timeouts are not retried only the first counts.
func (o Outcome) rising(given, above []float64) []float64 {
	if !o.RetryOnTimeout {
		given = given[:min(len(given), 1)]
	}
	if above != nil {
		given = given[:min(len(given), len(above))]
	}
	row, last := make([]float64, len(given)), 0.0
	for t, p := range given {
		if last = max(last, ratio(p)); above != nil {
			last = max(last, above[t])
		}
		row[t] = last
	}
	return row
}

// open reports whether a call makes another attempt after so many errors and
// timeouts.
func (c call) open(errors, timeouts int) bool {
	return errors+timeouts < c.n && timeouts < len(c.p[errors])
}

// first is the ratio of the first attempt, and with one fate that of all.
func (c call) first() (p, e float64) {
	p = c.p[0][0]
	return p, min(c.e, 1-p)
}

// inARow counts the attempts of a call that meets nothing but timeouts, and of
// one that meets nothing but errors.
func (c call) inARow() (timeouts, errors int) {
	for errors < c.n && c.open(errors, 0) {
		errors++
	}
	return len(c.p[0]), errors
}
