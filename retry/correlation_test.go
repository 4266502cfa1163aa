package retry_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

// counted returns what the counters of many calls read under the model.
func counted(calls float64, n int, p, rho float64) retry.CallCounts {
	o := retry.Outcome{P: retry.Repeat(p, n), Correlation: rho, RetryOnTimeout: true}
	return retry.CallCounts{
		Attempts: n, Calls: calls,
		Retries: (retry.Amplification(o) - 1) * calls, Exhausted: retry.FallbackRatio(o).Total() * calls,
	}
}

func TestCountersGiveBackTheirCorrelation(t *testing.T) {
	for _, n := range []int{2, 3, 4, 6, 10} {
		for _, p := range []float64{0.001, 0.01, 0.1, 0.5, 0.9} {
			for _, rho := range []float64{0, 0.01, 0.2, 0.5, 0.9, 1} {
				got, err := retry.RhoFromCounters(counted(1e12, n, p, rho))
				if err != nil {
					t.Fatalf("n %d, p %v, rho %v: %v", n, p, rho, err)
				}
				if math.Abs(got.Rho-rho) > 1e-6 || !near(got.P, p, 1e-6) {
					t.Errorf("n %d, p %v, rho %v: got %+v", n, p, rho, got)
				}
				if i := got.Interval; i == nil || i.Lower > got.Rho || i.Upper < got.Rho || i.Lower < 0 || i.Upper > 1 {
					t.Errorf("n %d, p %v, rho %v: interval %+v around %v", n, p, rho, i, got.Rho)
				}
			}
		}
	}
}

// Calls are simulated with a fixed seed. The interval has 5% on each side, so
// about 90% of 400 windows hold the truth; fewer than 340 would mean that it is
// too narrow, more than 398 that it says nothing.
func TestCounterIntervalHoldsTheTruth(t *testing.T) {
	const n, p, rho, calls, windows = 3, 0.05, 0.4, 5000, 400
	r := rand.New(rand.NewPCG(11, 13))
	held := 0
	for range windows {
		c := retry.CallCounts{Attempts: n, Calls: calls}
		for range calls {
			shared, fails := r.Float64() < rho, r.Float64() < p
			for k := 1; fails; k++ {
				if k == n {
					c.Exhausted++
					break
				}
				c.Retries++
				fails = shared || r.Float64() < p
			}
		}
		got, err := retry.RhoFromCounters(c)
		if err != nil {
			t.Fatal(err)
		}
		if got.Interval.Lower <= rho && rho <= got.Interval.Upper {
			held++
		}
	}
	if held < 340 || held > 398 {
		t.Errorf("%d of %d intervals hold the truth", held, windows)
	}
}

func TestNoExhaustedCallsAreNoProofOfIndependence(t *testing.T) {
	got, err := retry.RhoFromCounters(retry.CallCounts{Attempts: 2, Calls: 1000, Retries: 6})
	if err != nil {
		t.Fatal(err)
	}
	if got.Rho != 0 || got.Interval.Upper < 0.3 {
		t.Errorf("6 retries that all succeed: got %+v, want 0 with a wide interval", got)
	}
}

func TestCountersThatDecideNothingAreRefused(t *testing.T) {
	for name, c := range map[string]retry.CallCounts{
		"one attempt":            {Attempts: 1, Calls: 100, Retries: 10},
		"no calls":               {Attempts: 2},
		"no retries":             {Attempts: 2, Calls: 100},
		"too few retries":        {Attempts: 2, Calls: 100, Retries: 4},
		"everything fails":       {Attempts: 3, Calls: 100, Retries: 200, Exhausted: 100},
		"more than can be":       {Attempts: 3, Calls: 100, Retries: 300, Exhausted: 100},
		"contradiction":          {Attempts: 3, Calls: 100, Retries: 20, Exhausted: 30},
		"a slight contradiction": {Attempts: 3, Calls: 100, Retries: 20, Exhausted: 11},
		"calls are NaN":          {Attempts: 2, Calls: math.NaN(), Retries: 10},
		"retries are NaN":        {Attempts: 2, Calls: 100, Retries: math.NaN()},
		"exhausted is negative":  {Attempts: 2, Calls: 100, Retries: 10, Exhausted: -1},
	} {
		if got, err := retry.RhoFromCounters(c); !errors.Is(err, retry.ErrNotIdentifiable) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestCountersReadAtTwoMomentsMayDisagreeALittle(t *testing.T) {
	got, err := retry.RhoFromCounters(retry.CallCounts{Attempts: 3, Calls: 1000, Retries: 200, Exhausted: 102})
	if err != nil || got.Rho != 1 {
		t.Errorf("got %+v, %v, want one fate", got, err)
	}
}

// simulated draws windows of Poisson-like counts: 500 attempts each, with a
// ratio of 30% in the bad ones and 0.5% in the others. Fixed seed.
func simulated(bad func(window int) bool, windows int) []retry.WindowCount {
	r := rand.New(rand.NewPCG(5, 6))
	all := make([]retry.WindowCount, windows)
	for i := range all {
		p := 0.005
		if bad(i) {
			p = 0.3
		}
		all[i].Attempts = 500
		for range 500 {
			if r.Float64() < p {
				all[i].Timeouts++
			}
		}
	}
	return all
}

func TestWindowsWithoutEpisodesShowNoCorrelation(t *testing.T) {
	steady := simulated(func(int) bool { return true }, 48)
	got, err := retry.RhoFromWindows(2, steady)
	if err != nil {
		t.Fatal(err)
	}
	// Chance alone gives ±0.0003 here; a biased moment would give 0.002.
	if got.Rho > 0.001 {
		t.Errorf("steady timeouts read as a correlation of %v", got.Rho)
	}
}

func TestWindowsWithEpisodes(t *testing.T) {
	few, err := retry.RhoFromWindows(3, simulated(func(i int) bool { return i == 3 || i == 4 || i == 9 }, 12))
	if err != nil {
		t.Fatal(err)
	}
	if few.Episodes != 2 || few.Interval != nil {
		t.Errorf("got %d episodes and interval %v, want 2 and none", few.Episodes, few.Interval)
	}
	many, err := retry.RhoFromWindows(3, simulated(func(i int) bool { return i%6 == 0 }, 60))
	if err != nil {
		t.Fatal(err)
	}
	// Per-window ratio 0.3 in one of six: M = 0.3³/6, p̄ = 0.054.
	p := (0.3 + 5*0.005) / 6
	want := (math.Pow(0.3, 3)/6 - p*p*p) / (p - p*p*p)
	if math.Abs(many.Rho-want) > 0.02 || many.Episodes != 10 {
		t.Errorf("got %+v, want a correlation near %v and 10 episodes", many, want)
	}
	if i := many.Interval; i == nil || i.Lower > want || i.Upper < want || i.Upper-i.Lower > 0.1 {
		t.Errorf("interval %+v around %v", i, want)
	}
}

func TestWindowsThatDecideNothingAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		n       int
		windows []retry.WindowCount
	}{
		"one attempt":           {1, []retry.WindowCount{{1, 10}, {2, 10}}},
		"no windows":            {2, nil},
		"one window":            {2, []retry.WindowCount{{1, 10}}},
		"windows too small":     {5, []retry.WindowCount{{1, 4}, {1, 4}, {2, 9}}},
		"no timeouts":           {2, []retry.WindowCount{{0, 10}, {0, 10}}},
		"nothing but timeouts":  {2, []retry.WindowCount{{10, 10}, {10, 10}}},
		"more than all":         {2, []retry.WindowCount{{11, 10}, {1, 10}}},
		"counts are NaN":        {2, []retry.WindowCount{{math.NaN(), 10}, {1, 10}}},
		"attempts are infinite": {2, []retry.WindowCount{{1, math.Inf(1)}, {1, 10}}},
	} {
		if got, err := retry.RhoFromWindows(tc.n, tc.windows); !errors.Is(err, retry.ErrNotIdentifiable) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func FuzzCorrelation(f *testing.F) {
	f.Add(2, 1000.0, 60.0, 20.0, 5.0)
	f.Add(3, 1e15, 1.0, 0.5, 1e-9)
	f.Add(4, math.NaN(), math.Inf(1), -1.0, 0.0)
	f.Add(101, 1e300, 5e-324, 1e299, 7.0)
	f.Add(2, 1.0, 0.9999999999, 0.9999999999, 0.1)
	f.Fuzz(func(t *testing.T, n int, calls, retries, exhausted, spread float64) {
		c := retry.CallCounts{Attempts: n, Calls: calls, Retries: retries, Exhausted: exhausted}
		if got, err := retry.RhoFromCounters(c); err == nil {
			if !(got.Rho >= 0 && got.Rho <= 1 && got.P >= 0 && got.P <= 1 && got.Interval.Lower <= got.Rho && got.Rho <= got.Interval.Upper) {
				t.Fatalf("RhoFromCounters(%+v) = %+v %+v", c, got, got.Interval)
			}
		}
		windows := []retry.WindowCount{{exhausted, calls}, {spread, retries}, {exhausted + spread, calls + retries}}
		if got, err := retry.RhoFromWindows(n, windows); err == nil {
			if !(got.Rho >= 0 && got.Rho <= 1 && got.P >= 0 && got.P <= 1 && got.Moment >= 0 && got.Moment <= 1+rounding) {
				t.Fatalf("RhoFromWindows(%d, %+v) = %+v", n, windows, got)
			}
		}
	})
}
