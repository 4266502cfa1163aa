package calc

import (
	"fmt"
	"strconv"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

// BudgetInput asks how a deadline divides among calls made one after another.
// Times are seconds.
type BudgetInput struct {
	Deadline float64
	Hops     int
	Retries  int       // at every hop
	Overhead float64   // per attempt
	P99      []float64 // none, one for every hop, or one per hop
	Rate     float64   // calls per second; 0: not given
}

// maxHops bounds the table.
const maxHops = 100

// BudgetFrom reads the inputs deadline, hops (default: as often as p99 is given),
// retries (0), overhead (0), p99, which may be given once or once per hop, and
// rate.
func BudgetFrom(v Values) (BudgetInput, error) {
	r := reader{values: v}
	in := BudgetInput{
		Deadline: r.required("deadline"),
		Retries:  r.whole("retries", wantWhole(0, maxRetries), 0),
		Overhead: r.optional("overhead"),
		P99:      r.durations("p99"),
		Rate:     r.number("rate", wantCount, 0),
	}
	if r.text("hops") == "" && len(in.P99) == 0 {
		r.fail(&InputError{Input: "hops", Want: "is required: how many calls are made in a row"})
	}
	in.Hops = r.whole("hops", wantWhole(1, maxHops), len(in.P99))
	return in, r.err
}

func (in BudgetInput) check() error {
	err := firstError(
		positiveSeconds("deadline", in.Deadline),
		inWhole("hops", in.Hops, 1, maxHops),
		inWhole("retries", in.Retries, 0, maxRetries),
		zeroOrMoreSeconds("overhead", in.Overhead),
		inCount("rate", in.Rate),
	)
	if err != nil {
		return err
	}
	for _, p99 := range in.P99 {
		if err := positiveSeconds("p99", p99); err != nil {
			return err
		}
	}
	if given := len(in.P99); given > 1 && given != in.Hops {
		return &InputError{Input: "p99", Got: strconv.Itoa(given) + " of them",
			Want: fmt.Sprintf("must be given once, or once for each of the %s", plural(in.Hops, "hop"))}
	}
	return nil
}

// Fit says how much room the deadline leaves.
type Fit string

// Fits, by the time that all attempts of all hops need one after another.
const (
	FitUnknown     Fit = "unknown"      // no p99 is known
	FitComfortable Fit = "comfortable"  // twice the p99 for every attempt
	FitTight       Fit = "tight"        // once the p99 for every attempt
	FitNone        Fit = "does_not_fit" // less
)

// Budget is a deadline divided among hops.
type Budget struct {
	DeadlineSeconds   float64  `json:"deadline_seconds"`
	Hops              int      `json:"hops"`
	Retries           int      `json:"retries"`
	OverheadSeconds   float64  `json:"overhead_seconds"`
	RequestsPerSecond *float64 `json:"requests_per_second,omitempty"`

	// AttemptShareSeconds is what each attempt gets when all get the same. Zero
	// or less: the deadline does not even hold the overhead.
	AttemptShareSeconds float64 `json:"attempt_share_seconds"`

	WorstCaseAmplification float64 `json:"worst_case_amplification_ratio"` // at the last hop

	HopTable             []HopRow `json:"hop_table"`
	RemainingLastSeconds *float64 `json:"remaining_after_last_seconds,omitempty"`

	Fit                Fit      `json:"fit"`
	NeededLeastSeconds *float64 `json:"needed_least_seconds,omitempty"` // once the p99 for every attempt
	NeededSeconds      *float64 `json:"needed_seconds,omitempty"`       // twice the p99

	Levers []Lever `json:"levers"` // what to change, in the order to try it
}

// HopRow is one hop. Pointers are nil where p99 or the rate is not known.
type HopRow struct {
	Hop                        int        `json:"hop"` // 1 is the edge
	P99Seconds                 *float64   `json:"p99_seconds,omitempty"`
	ShareP99Ratio              *float64   `json:"share_p99_ratio,omitempty"`
	Band                       retry.Band `json:"band"`
	RemainingSeconds           *float64   `json:"remaining_seconds,omitempty"` // before the hop, each one before it taking its p99
	WorstCaseAmplification     float64    `json:"worst_case_amplification_ratio"`
	WorstCaseRequestsPerSecond *float64   `json:"worst_case_requests_per_second,omitempty"`
}

// Calculate works it out, or returns an *InputError.
func (in BudgetInput) Calculate() (Budget, error) {
	if err := in.check(); err != nil {
		return Budget{}, err
	}
	if len(in.P99) == 1 {
		in.P99 = repeat(in.P99[0], in.Hops)
	}
	plan := in.plan()
	b := Budget{
		DeadlineSeconds: in.Deadline, Hops: in.Hops, Retries: in.Retries, OverheadSeconds: in.Overhead,
		AttemptShareSeconds: plan.share(), WorstCaseAmplification: plan.worstCase(), Fit: plan.fit(),
	}
	if in.Rate > 0 {
		b.RequestsPerSecond = &in.Rate
	}
	if len(in.P99) > 0 {
		least, comfortable := plan.needed(1), plan.needed(comfortableFactor)
		b.NeededLeastSeconds, b.NeededSeconds = &least, &comfortable
	}
	b.HopTable = in.hopTable(b.AttemptShareSeconds)
	if len(in.P99) > 0 {
		after := retry.DeadlineRemaining(in.Deadline, in.Overhead, in.P99).After
		b.RemainingLastSeconds = &after
	}
	b.Levers = plan.levers()
	return b, nil
}

func (in BudgetInput) hopTable(share float64) []HopRow {
	remaining := retry.DeadlineRemaining(in.Deadline, in.Overhead, in.P99)
	worst := retry.WorstCaseChain(in.plan().attempts)
	rows := make([]HopRow, in.Hops)
	for i := range rows {
		row := HopRow{Hop: i + 1, Band: retry.BandUnknown, WorstCaseAmplification: worst[i]}
		if len(in.P99) > 0 {
			ratio := share / in.P99[i]
			row.P99Seconds, row.ShareP99Ratio, row.RemainingSeconds = &in.P99[i], &ratio, &remaining.Before[i]
			row.Band = retry.BandOf(max(ratio, 0))
		}
		if in.Rate > 0 {
			requests := in.Rate * worst[i]
			row.WorstCaseRequestsPerSecond = &requests
		}
		rows[i] = row
	}
	return rows
}

func repeat[T any](value T, n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = value
	}
	return all
}
