package calc

import (
	"fmt"
	"math"
	"strconv"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// TimeoutInput asks what timeouts cost and catch. Times are seconds. Either P99
// or Sigma describes the spread.
type TimeoutInput struct {
	P50      float64
	P99      float64   // 0: not given
	Sigma    *float64  // standard deviation of ln latency; nil: not given
	Timeouts []float64 // to look at besides the sweep
}

// TimeoutFrom reads the inputs p50, p99 or sigma, and timeout, which may be
// given more than once.
func TimeoutFrom(v Values) (TimeoutInput, error) {
	r := reader{values: v}
	in := TimeoutInput{P50: r.required("p50"), P99: r.optional("p99"), Timeouts: r.durations("timeout")}
	if r.text("p99") != "" {
		r.fail(positiveSeconds("p99", in.P99))
	}
	if r.text("sigma") != "" {
		sigma := r.number("sigma", wantSigma, 0)
		in.Sigma = &sigma
	}
	return in, r.err
}

// maxSigma is where a lognormal stops describing latencies: its p99 is 10^10
// times its median.
const maxSigma = 10

const wantSigma = "must be a number between 0 and 10"

func (in TimeoutInput) check() error {
	if err := positiveSeconds("p50", in.P50); err != nil {
		return err
	}
	switch {
	case in.Sigma == nil && in.P99 == 0:
		return &InputError{Input: "p99", Want: "is required, or sigma in its place"}
	case in.Sigma != nil && in.P99 != 0:
		return &InputError{Input: "sigma", Got: plain(*in.Sigma) + " beside a p99", Want: "must not be given together with p99"}
	case in.Sigma != nil && !(*in.Sigma >= 0 && *in.Sigma <= maxSigma):
		return &InputError{Input: "sigma", Got: plain(*in.Sigma), Want: wantSigma}
	case in.Sigma == nil:
		if err := firstError(positiveSeconds("p99", in.P99), atMedian(in.P50, in.P99)); err != nil {
			return err
		}
	}
	for _, timeout := range in.Timeouts {
		if err := positiveSeconds("timeout", timeout); err != nil {
			return err
		}
	}
	return nil
}

func (in TimeoutInput) lognormal() (latency.Lognormal, error) {
	if in.Sigma != nil {
		return latency.Lognormal{Mu: math.Log(in.P50), Sigma: *in.Sigma}, nil
	}
	return throughQuantiles(in.P50, in.P99)
}

// Timeout is what timeouts cost and catch for one latency.
type Timeout struct {
	P50Seconds     float64 `json:"p50_seconds"`
	P99Seconds     float64 `json:"p99_seconds"`
	LognormalMu    float64 `json:"lognormal_mu"` // of ln seconds
	LognormalSigma float64 `json:"lognormal_sigma"`
	PointMass      bool    `json:"point_mass"` // no spread: every attempt takes as long

	Asked     []TimeoutRow `json:"asked"`     // the timeouts of the input
	Sweep     []TimeoutRow `json:"sweep"`     // round timeouts from 2 to 100 times p50
	Multiples []TimeoutRow `json:"multiples"` // multiples of p99
	Targets   []TargetRow  `json:"targets"`   // the timeout for each target ratio
}

// TimeoutRow is one timeout.
type TimeoutRow struct {
	TimeoutSeconds    float64    `json:"timeout_seconds"`
	TimeoutP99Ratio   float64    `json:"timeout_p99_ratio"`
	Band              retry.Band `json:"band"`
	FalseTimeoutRatio float64    `json:"false_timeout_ratio"`
	FalseTimeoutLevel Level      `json:"false_timeout_level"`

	// DetectionDelaySeconds is how long an attempt to a dead callee is waited
	// for: the timeout. MeanAttemptSeconds is how long an attempt to a live one
	// takes on average, E[min(X, T)].
	DetectionDelaySeconds float64 `json:"detection_delay_seconds"`
	MeanAttemptSeconds    float64 `json:"mean_attempt_seconds"`
}

// TargetRow is the timeout that a share TargetRatio of attempts exceeds.
type TargetRow struct {
	TargetRatio     float64 `json:"target_false_timeout_ratio"`
	TimeoutSeconds  float64 `json:"timeout_seconds"`
	TimeoutP99Ratio float64 `json:"timeout_p99_ratio"`
}

// Calculate works it out, or returns an *InputError.
func (in TimeoutInput) Calculate() (Timeout, error) {
	if err := in.check(); err != nil {
		return Timeout{}, err
	}
	l, err := in.lognormal()
	if err != nil {
		return Timeout{}, err
	}
	p99 := in.P99
	if in.Sigma != nil {
		p99 = l.Quantile(0.01)
	}
	t := Timeout{P50Seconds: in.P50, P99Seconds: p99, LognormalMu: l.Mu, LognormalSigma: l.Sigma, PointMass: l.PointMass()}
	rows := func(timeouts []float64) []TimeoutRow {
		all := make([]TimeoutRow, len(timeouts))
		for i, timeout := range timeouts {
			all[i] = timeoutRow(l, timeout, p99)
		}
		return all
	}
	t.Asked, t.Sweep = rows(in.Timeouts), rows(sweep(in.P50))
	multiples := []float64{0.5, 0.75, 1, 1.5, 2, 3, 5, 10}
	for i := range multiples {
		multiples[i] *= p99
	}
	t.Multiples = rows(multiples)
	for _, target := range []float64{0.01, 0.001, 0.0001} {
		timeout := l.Quantile(target)
		t.Targets = append(t.Targets, TargetRow{TargetRatio: target, TimeoutSeconds: timeout, TimeoutP99Ratio: timeout / p99})
	}
	return t, nil
}

func timeoutRow(l latency.Lognormal, timeout, p99 float64) TimeoutRow {
	p := l.Survival(timeout)
	return TimeoutRow{
		TimeoutSeconds: timeout, TimeoutP99Ratio: timeout / p99, Band: retry.BandOf(timeout / p99),
		FalseTimeoutRatio: p, FalseTimeoutLevel: LevelOf(p),
		DetectionDelaySeconds: timeout, MeanAttemptSeconds: l.LimitedMean(timeout),
	}
}

// sweep returns the round timeouts (1, 1.5, 2, 3, 5, 7 and their tenfolds) from
// 2 to 100 times the median.
func sweep(p50 float64) []float64 {
	const rounding = 1e-9 // 2·p50 itself belongs to the sweep
	low, high := 2*p50*(1-rounding), 100*p50*(1+rounding)
	var timeouts []float64
	first, last := int(math.Floor(math.Log10(low))), int(math.Floor(math.Log10(high)))
	for exponent := first; exponent <= last; exponent++ {
		for _, digits := range []string{"1", "1.5", "2", "3", "5", "7"} {
			// By way of text, since 1.5·10⁻¹ is not 0.15 in floating point.
			timeout, err := strconv.ParseFloat(fmt.Sprintf("%se%d", digits, exponent), 64)
			if err == nil && timeout >= low && timeout <= high {
				timeouts = append(timeouts, timeout)
			}
		}
	}
	return timeouts
}
