package audit

import (
	"math"
	"slices"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Backtest says how a declared timeout held over the past, window by window, and
// how others would have. Times are seconds.
type Backtest struct {
	Dependency   config.Dependency
	Since, Until time.Time
	Step         time.Duration // length of one window

	Limit    float64        // the timeout in effect; 0: there is none
	Steps    []BacktestStep // oldest first
	Declared TimeoutPast
	Others   []TimeoutPast // ascending
	History  History       // what the recommendation would rest on

	// Recommendation is what the past alone leads to; nil where the newest window
	// with counts carries none.
	Recommendation *Recommendation
}

// BacktestStep is one window of the past. Pointers are nil where the window does
// not support the figure.
type BacktestStep struct {
	At      time.Time // its end
	Status  latency.Status
	Reasons []latency.Reason
	Detail  string
	Samples float64 // calls, as many as are honestly known

	P99           *float64
	P99LowerBound bool // p99 lies beyond the highest finite bound
	FalseTimeout  *Estimate
	Verdict       latency.Verdict // on whether more than 1% took longer than the timeout
}

// Known reports whether an observation stands behind the window.
func (s BacktestStep) Known() bool { return s.Status.Known() }

// TimeoutPast is what one timeout did or would have done over the past.
type TimeoutPast struct {
	Timeout float64

	// Cut is the share of attempts that take longer, over all windows with counts.
	// Point is nil where some windows do not say, since the timeout in force has
	// bent them: Lower and Upper hold all the same.
	Cut *PastShare

	// How many windows are above 1% beyond chance, below it, or neither, and how
	// many say nothing.
	Above, Below, Undecided, Unknown int
}

// Judged is how many windows are decided.
func (t TimeoutPast) Judged() int { return t.Above + t.Below }

// PastShare is a share with its bracket.
type PastShare struct {
	Point        *float64
	Lower, Upper float64
}

// BacktestOptions say what else is asked of the past.
type BacktestOptions struct {
	Timeouts []float64 // seconds; without any, multiples of the declared one and those the quantiles lead to
}

// AssessBacktest judges a dependency's past, one Input for each window, oldest
// first, with the window's length as Dependency.Window. It never fails: what a window does not say is counted as unknown.
func AssessBacktest(dep *config.Dependency, steps []Input, o BacktestOptions) Backtest {
	gathered := newHistory(dep, len(steps))
	past := make([]pastStep, len(steps))
	b := Backtest{Dependency: *dep}
	for i, in := range steps {
		past[i] = readPast(in)
		gathered.add(past[i])
		b.Steps = append(b.Steps, past[i].backtest())
	}
	b.History = gathered.conclude()
	b.Since, b.Until, b.Step = b.History.Since, b.History.Until, b.History.Step
	b.recommend(past)
	if len(past) == 0 || past[0].Limit <= 0 {
		return b
	}
	b.Limit = past[0].Limit
	b.Declared = under(past, b.Limit)
	for _, timeout := range b.candidates(gathered.pool, o) {
		b.Others = append(b.Others, under(past, timeout))
	}
	return b
}

func (s pastStep) backtest() BacktestStep {
	step := BacktestStep{
		At: s.At, Status: s.Status, Reasons: s.Reasons, Detail: s.Detail,
		FalseTimeout: s.FalseTimeout, Verdict: s.CompareFalseTimeout(P99Ratio),
	}
	if s.Tail != nil {
		step.Samples = s.Tail.Samples
	}
	if s.p99 > 0 {
		step.P99, step.P99LowerBound = &s.p99, !s.bounded
	}
	return step
}

// recommend is what the newest window with counts recommends, given the past.
func (b *Backtest) recommend(past []pastStep) {
	for _, s := range slices.Backward(past) {
		if s.counted() {
			if s.bounded {
				s.P99 = &s.p99
			}
			s.remember(&b.History)
			s.advise(nil)
			b.Recommendation = s.Recommendation
			return
		}
	}
}

// multiples of the declared timeout that a backtest looks at unasked.
func multiples() []float64 { return []float64{0.5, 0.75, 1.25, 1.5, 2} }

// candidates are the timeouts to look at: those asked for, or multiples of the
// declared one, the pooled quantiles for 1%, 0.1% and 0.01%, and the
// recommendation. They are rounded as people write them.
func (b *Backtest) candidates(pool mixture, o BacktestOptions) []float64 {
	timeouts := slices.Clone(o.Timeouts)
	if len(timeouts) == 0 && b.History.Steps > 0 {
		for _, m := range multiples() {
			timeouts = append(timeouts, m*b.Limit)
		}
		for _, target := range []float64{0.01, 0.001, 0.0001} {
			if q, bounded := pool.quantile(target); bounded && b.History.Samples >= enoughAbove/target {
				timeouts = append(timeouts, twoDigits(q))
			}
		}
		if r := b.Recommendation; r != nil && r.Target != nil {
			timeouts = append(timeouts, twoDigits(*r.Target))
		}
	}
	slices.Sort(timeouts)
	timeouts = slices.DeleteFunc(timeouts, func(t float64) bool { return !(t > 0) || same(t, b.Limit) })
	return slices.CompactFunc(timeouts, same)
}

// same is how far two timeouts are one in a table.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-6*b }

// twoDigits rounds up to two significant digits.
func twoDigits(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Ceil(x/unit-1e-9) * unit
}
