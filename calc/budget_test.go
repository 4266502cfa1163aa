package calc_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/calc"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

func TestBudgetWorkedExamples(t *testing.T) {
	base := calc.BudgetInput{Deadline: 2, Hops: 4, Retries: 1, Overhead: 0.005}
	with := func(change func(*calc.BudgetInput)) calc.BudgetInput {
		in := base
		change(&in)
		return in
	}
	for name, tc := range map[string]struct {
		in           calc.BudgetInput
		share, worst float64
		fit          calc.Fit
	}{
		"one retry at four hops": {base, 0.245, 16, calc.FitUnknown},
		"no retries":             {with(func(in *calc.BudgetInput) { in.Retries = 0 }), 0.495, 1, calc.FitUnknown},
		"five hops":              {with(func(in *calc.BudgetInput) { in.Hops = 5 }), 0.195, 32, calc.FitUnknown},
		"p99 of half a second":   {with(func(in *calc.BudgetInput) { in.P99 = []float64{0.5} }), 0.245, 16, calc.FitNone},
		"comfortable":            {with(func(in *calc.BudgetInput) { in.P99 = []float64{0.12} }), 0.245, 16, calc.FitComfortable},
		"tight":                  {with(func(in *calc.BudgetInput) { in.P99 = []float64{0.2} }), 0.245, 16, calc.FitTight},
		"nothing is left":        {calc.BudgetInput{Deadline: 0.1, Hops: 10, Retries: 2, Overhead: 0.005}, -0.1 / 60, 59049, calc.FitNone},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := tc.in.Calculate()
			if err != nil {
				t.Fatal(err)
			}
			if !near(b.AttemptShareSeconds, tc.share, 1e-12) || b.WorstCaseAmplification != tc.worst || b.Fit != tc.fit {
				t.Errorf("share %v, worst %v, fit %v; want %v, %v, %v", b.AttemptShareSeconds, b.WorstCaseAmplification, b.Fit, tc.share, tc.worst, tc.fit)
			}
		})
	}
}

func TestBudgetHopByHop(t *testing.T) {
	b, err := calc.BudgetInput{Deadline: 2, Hops: 4, Retries: 1, Overhead: 0.005, P99: []float64{0.3}, Rate: 1000}.Calculate()
	if err != nil {
		t.Fatal(err)
	}
	remaining := []float64{2, 1.695, 1.39, 1.085}
	for i, hop := range b.HopTable {
		if !near(*hop.RemainingSeconds, remaining[i], 1e-12) || *hop.WorstCaseRequestsPerSecond != 1000*math.Pow(2, float64(i+1)) ||
			hop.Band != retry.BandBelowP99 {
			t.Errorf("hop %d: %+v", i+1, hop)
		}
	}
	if !near(*b.RemainingLastSeconds, 0.78, 1e-12) {
		t.Errorf("%v s are left, want 0.78", *b.RemainingLastSeconds)
	}
}

// Twice p99 at each hop: the allocation rule, with the slowest of two parallel
// calls as the third hop.
func TestBudgetNeededByTheAllocationRule(t *testing.T) {
	b, err := calc.BudgetInput{Deadline: 2, Hops: 3, Overhead: 0.005, P99: []float64{0.3, 0.005, 0.4}}.Calculate()
	if err != nil {
		t.Fatal(err)
	}
	if !near(*b.NeededSeconds, 1.425, 1e-12) || b.Fit != calc.FitComfortable {
		t.Errorf("needs %v (%v), want 1.425 with comfort", *b.NeededSeconds, b.Fit)
	}
}

func TestNothingFitsAHalfSecondHop(t *testing.T) {
	b, err := calc.BudgetInput{Deadline: 2, Hops: 4, Retries: 1, Overhead: 0.005, P99: []float64{0.5}}.Calculate()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range b.Levers {
		names = append(names, l.Lever)
		if (l.Lever == calc.LeverRetryAtEdge || l.Lever == calc.LeverNoRetries) && l.Fit != calc.FitNone {
			t.Errorf("%s: %v, want no fit: four times 505 ms are more than 2 s", l.Lever, l.Fit)
		}
	}
	want := []string{calc.LeverRetryAtEdge, calc.LeverNoRetries, calc.LeverFasterHop, calc.LeverFewerHops, calc.LeverLonger, calc.LeverPropagate}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// What a lever promises must hold when somebody pulls it.
func TestLeversKeepTheirPromise(t *testing.T) {
	in := calc.BudgetInput{Deadline: 1, Hops: 3, Retries: 1, Overhead: 0.005, P99: []float64{0.06, 0.4, 0.1}}
	b, err := in.Calculate()
	if err != nil {
		t.Fatal(err)
	}
	levers := map[string]calc.Lever{}
	for _, l := range b.Levers {
		levers[l.Lever] = l
	}
	if l := levers[calc.LeverRetryAtEdge]; *l.WorstCaseAmplification != 2 || l.Fit != calc.FitTight {
		t.Errorf("retries at the edge alone: %+v", l)
	}
	noRetries := in
	noRetries.Retries = 0
	if got, _ := noRetries.Calculate(); got.Fit != levers[calc.LeverNoRetries].Fit {
		t.Errorf("without retries the fit is %v, promised %v", got.Fit, levers[calc.LeverNoRetries].Fit)
	}
	// The third hop has to come down as well: 2·(2·0.06 + 0.005) + 2·2·(2·x + 0.005)
	// is 1 at x = 0.09125.
	if l := levers[calc.LeverFasterHop]; !strings.Contains(l.Change, "down to 91.25ms, from 400ms") || l.Fit != calc.FitComfortable {
		t.Errorf("a faster hop: %+v", l)
	}
	faster := in
	faster.P99 = []float64{0.06, 0.09125, 0.09125}
	if got, _ := faster.Calculate(); got.Fit != calc.FitComfortable {
		t.Errorf("with the faster hop the fit is %v", got.Fit)
	}
	if l := levers[calc.LeverFewerHops]; !strings.Contains(l.Change, "2 calls instead of 3") || l.Fit != calc.FitComfortable {
		t.Errorf("fewer hops: %+v", l)
	}
	longer := in
	longer.Deadline = *b.NeededSeconds
	if got, _ := longer.Calculate(); got.Fit != calc.FitComfortable {
		t.Errorf("with the longer deadline the fit is %v", got.Fit)
	}
}

func TestFewerHopsAimsAtComfort(t *testing.T) {
	b, err := calc.BudgetInput{Deadline: 1, Hops: 6, P99: []float64{0.15}}.Calculate()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range b.Levers {
		if l.Lever == calc.LeverFewerHops && !strings.Contains(l.Change, "3 calls instead of 6") {
			t.Errorf("got %+v, want the 3 calls of twice 150 ms that 1 s holds", l)
		}
	}
	if b.Fit != calc.FitTight {
		t.Errorf("fit = %v, want tight, so that a lever is named", b.Fit)
	}
}
