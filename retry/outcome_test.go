package retry_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

// near compares within a relative tolerance, absolute around 0.
func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*max(1e-300, math.Abs(want)) || math.Abs(got-want) <= 1e-15
}

// exhaustive adds up every sequence of outcomes of independent attempts, the
// long way round.
type exhaustive struct {
	o        retry.Outcome
	failed   retry.Fallback
	attempts float64
}

func (x *exhaustive) follow(failures, timeouts int, probability float64) {
	last := len(x.o.P)
	if !x.o.RetryOnTimeout {
		last = 1
	}
	if failures == x.o.Attempts || timeouts == last {
		switch timeouts {
		case failures:
			x.failed.Timeout += probability
		case 0:
			x.failed.Error += probability
		default:
			x.failed.Mixed += probability
		}
		return
	}
	x.attempts += probability
	x.follow(failures+1, timeouts+1, probability*x.o.P[timeouts])
	x.follow(failures+1, timeouts, probability*x.o.E)
}

func TestIndependentAttemptsAddUpAllSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		o := retry.Outcome{E: r.Float64() * 0.3, Attempts: 1 + r.IntN(6), RetryOnTimeout: r.IntN(4) > 0}
		p := 0.0
		for range 1 + r.IntN(o.Attempts) {
			p += r.Float64() * 0.1 // a deadline only raises p
			o.P = append(o.P, p)
		}
		want := exhaustive{o: o}
		want.follow(0, 0, 1)
		got := retry.FallbackRatio(o)
		if !near(got.Timeout, want.failed.Timeout, 1e-12) || !near(got.Error, want.failed.Error, 1e-12) || !near(got.Mixed, want.failed.Mixed, 1e-12) {
			t.Fatalf("FallbackRatio(%+v) = %+v, want %+v", o, got, want.failed)
		}
		if a := retry.Amplification(o); !near(a, want.attempts, 1e-12) {
			t.Fatalf("Amplification(%+v) = %v, want %v", o, a, want.attempts)
		}
	}
}

func TestCallsWithOneFateAreDecidedByTheFirstAttempt(t *testing.T) {
	o := retry.Outcome{P: []float64{0.02, 0.02, 0.5}, E: 0.01, Correlation: 1, Attempts: 5, RetryOnTimeout: true}
	if got, want := retry.FallbackRatio(o), (retry.Fallback{Timeout: 0.02, Error: 0.01}); got != want {
		t.Errorf("fallback = %+v, want %+v", got, want)
	}
	// Timeouts end after 3 attempts, 2 of them retries; errors after 5.
	if got, want := retry.Amplification(o), 1+0.02*2+0.01*4; !near(got, want, 1e-14) {
		t.Errorf("amplification = %v, want %v", got, want)
	}
}

func TestWorkedExampleByCause(t *testing.T) {
	const p = 0.0031585297355849937
	f := retry.FallbackRatio(retry.Outcome{P: retry.Repeat(p, 3), E: 0.004, Correlation: 0.5, RetryOnTimeout: true})
	if !near(f.Timeout, 0.001579280623028533, 1e-12) || !near(f.Error, 0.002000032, 1e-12) {
		t.Errorf("got %+v, want 0.1579%% by timeout and 0.2000%% by error", f)
	}
	if calls := math.Round(f.Total() * 400000); calls != 1432 {
		t.Errorf("%v calls of 400,000 fall back, want 1,432", calls)
	}
}

func TestProxyThatDoesNotRetryItsTimeouts(t *testing.T) {
	o := retry.Outcome{P: []float64{2.0 / 3}, Attempts: 3, Correlation: 0}
	if a := retry.Amplification(o); a != 1 {
		t.Errorf("amplification = %v, want 1", a)
	}
	if f := retry.FallbackRatio(o).Total(); f != 2.0/3 {
		t.Errorf("fallback = %v, want 2/3 and not its cube", f)
	}
}

// outcomes draws valid outcomes with everything switched on at times.
func outcomes(seed uint64, n int) []retry.Outcome {
	r := rand.New(rand.NewPCG(seed, 7))
	all := make([]retry.Outcome, n)
	for i := range all {
		p := math.Pow(r.Float64(), 3)
		o := retry.Outcome{
			E: (1 - p) * math.Pow(r.Float64(), 3), Correlation: r.Float64(),
			Attempts: 1 + r.IntN(8), RetryOnTimeout: r.IntN(3) > 0,
		}
		for range 1 + r.IntN(o.Attempts) {
			o.P = append(o.P, p)
			p += (1 - p) * r.Float64() * float64(r.IntN(2))
		}
		if r.IntN(3) == 0 {
			b := r.Float64() / 2
			o.Budget = &b
		}
		all[i] = o
	}
	return all
}

const rounding = 1e-12

func TestProperties(t *testing.T) {
	for _, o := range outcomes(3, 3000) {
		f, a, q := retry.FallbackRatio(o), retry.Amplification(o), min(o.P[0]+o.E, 1)
		if f.Total() > q+rounding || f.Total() < 0 {
			t.Fatalf("F = %v outside 0..q = %v: %+v", f.Total(), q, o)
		}
		if a < 1 || a > float64(o.Attempts) {
			t.Fatalf("A = %v outside 1..%d: %+v", a, o.Attempts, o)
		}
		if low, high := retry.FallbackRange(o); f.Total() < low-rounding || f.Total() > high+rounding {
			t.Fatalf("F = %v outside its range %v..%v: %+v", f.Total(), low, high, o)
		}

		correlated := o
		correlated.Correlation += (1 - o.Correlation) / 3
		if g := retry.FallbackRatio(correlated).Total(); g < f.Total()-rounding {
			t.Fatalf("more correlation lowered F from %v to %v: %+v", f.Total(), g, o)
		}
		unlimited := o
		unlimited.Budget = nil
		if retry.Amplification(unlimited) < a-rounding || retry.FallbackRatio(unlimited).Total() > f.Total()+rounding {
			t.Fatalf("a budget raised A or lowered F: %+v", o)
		}
		if o.Budget != nil && a > 1+*o.Budget+rounding {
			t.Fatalf("A = %v above 1 + budget: %+v", a, o)
		}
		slower := o
		slower.P = make([]float64, len(o.P))
		for i, p := range o.P {
			slower.P[i] = p + (1-p-min(o.E, 1-p))*0.1
		}
		if g := retry.FallbackRatio(slower).Total(); g < f.Total()-rounding {
			t.Fatalf("a higher p lowered F from %v to %v: %+v", f.Total(), g, o)
		}
	}
}

func TestUnknownRatiosCountAsTheWorst(t *testing.T) {
	for name, o := range map[string]retry.Outcome{
		"no ratio":    {},
		"p is NaN":    {P: []float64{math.NaN()}, RetryOnTimeout: true, Attempts: 3},
		"e is NaN":    {P: []float64{0.1}, E: math.NaN(), RetryOnTimeout: true, Attempts: 3},
		"p is +Inf":   {P: []float64{math.Inf(1)}, RetryOnTimeout: true},
		"p above one": {P: []float64{7}, RetryOnTimeout: true},
	} {
		if f := retry.FallbackRatio(o).Total(); f != 1 {
			t.Errorf("%s: F = %v, want 1", name, f)
		}
		if o.Validate() == nil {
			t.Errorf("%s: Validate accepts it", name)
		}
	}
	o := retry.Outcome{P: []float64{0.1, 0.1}, Correlation: math.NaN(), RetryOnTimeout: true}
	if f := retry.FallbackRatio(o).Total(); f != 0.1 {
		t.Errorf("unknown correlation: F = %v, want the 0.1 of one fate", f)
	}
}

func TestErrorsGiveWayToTimeouts(t *testing.T) {
	f := retry.FallbackRatio(retry.Outcome{P: []float64{0.9}, E: 0.5})
	if f.Timeout != 0.9 || !near(f.Error, 0.1, 1e-15) {
		t.Errorf("got %+v, want 0.9 timeouts and the 0.1 that is left as errors", f)
	}
}

func TestOutcomeValidateNamesEverything(t *testing.T) {
	negative := -0.1
	err := retry.Outcome{P: []float64{0.7, 2}, E: 0.6, Correlation: 1.2, Attempts: 102, Budget: &negative}.Validate()
	for _, want := range []string{
		"correlation must be between 0 and 1, got 1.2",
		"false-timeout ratio of attempt 2 must be between 0 and 1, got 2",
		"must be at most 1, got 0.7 + 0.6",
		"attempts must be between 1 and 101, got 102",
		"retry budget must be 0 or more, got -0.1",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v\nlacks %q", err, want)
		}
	}
	if err := (retry.Outcome{P: []float64{0.1}, E: 0.1, Correlation: 0.5, Attempts: 3}).Validate(); err != nil {
		t.Errorf("a valid outcome is refused: %v", err)
	}
}

func FuzzOutcome(f *testing.F) {
	f.Add(0.1, 0.2, 0.01, 0.5, 3, true, 0.2)
	f.Add(math.NaN(), math.Inf(1), -1.0, math.NaN(), -5, true, math.NaN())
	f.Add(1.0, 1.0, 1.0, 1.0, 1<<40, false, math.Inf(-1))
	f.Add(0.0, 0.0, 0.0, 0.0, 0, true, 0.0)
	f.Fuzz(func(t *testing.T, p1, p2, e, rho float64, n int, retried bool, b float64) {
		o := retry.Outcome{P: []float64{p1, p2}, E: e, Correlation: rho, Attempts: n, RetryOnTimeout: retried}
		slow := o
		slow.AfterErrors = [][]float64{{p2, p1}, {p2}}
		hedged := slow
		hedged.Hedge = &retry.HedgeRatios{Open: p2, Late: e}
		for _, o := range []retry.Outcome{o, slow, hedged, {P: o.P, Budget: &b, E: e, Attempts: n, Hedge: hedged.Hedge}, {P: o.P, Budget: &b, RetryOnTimeout: true}} {
			f := retry.FallbackRatio(o)
			for _, share := range []float64{f.Timeout, f.Error, f.Mixed, f.Total(), retry.RetryShare(o)} {
				if !(share >= 0 && share <= 1+rounding) {
					t.Fatalf("%v outside 0..1: %+v", share, o)
				}
			}
			most := retry.WorstCase(o)
			if o.Hedge != nil {
				most *= 2
			}
			if a := retry.Amplification(o); !(a >= 1 && a <= float64(most)*(1+rounding)) {
				t.Fatalf("A = %v outside 1..%d: %+v", a, most, o)
			}
		}
	})
}
