package calc

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// FallbackInput asks how many calls use up all their attempts. Times are
// seconds.
type FallbackInput struct {
	P50, P99       float64 // latency of one attempt
	Timeout        float64 // per attempt
	Retries        int
	Correlation    float64
	ErrorRatio     float64 // attempts that fail otherwise than by timeout
	CallsPerDay    float64 // 0: not given
	RetryOnTimeout bool
}

// FallbackFrom reads the inputs p50, p99, timeout, retries (default 0),
// correlation (0.5), error-ratio (0), calls-per-day and retry-on-timeout
// (true).
func FallbackFrom(v Values) (FallbackInput, error) {
	r := reader{values: v}
	in := FallbackInput{
		P50:            r.required("p50"),
		P99:            r.required("p99"),
		Timeout:        r.required("timeout"),
		Retries:        r.whole("retries", wantWhole(0, maxRetries), 0),
		Correlation:    r.number("correlation", wantRatio, 0.5),
		ErrorRatio:     r.number("error-ratio", wantRatio, 0),
		CallsPerDay:    r.number("calls-per-day", wantCount, 0),
		RetryOnTimeout: r.flag("retry-on-timeout", true),
	}
	return in, r.err
}

func (in FallbackInput) check() error {
	return firstError(
		positiveSeconds("p50", in.P50),
		positiveSeconds("p99", in.P99),
		atMedian(in.P50, in.P99),
		positiveSeconds("timeout", in.Timeout),
		inWhole("retries", in.Retries, 0, maxRetries),
		inRatio("correlation", in.Correlation),
		inRatio("error-ratio", in.ErrorRatio),
		inCount("calls-per-day", in.CallsPerDay),
	)
}

// Fallback is the fallback arithmetic of one policy.
type Fallback struct {
	P50Seconds       float64 `json:"p50_seconds"`
	P99Seconds       float64 `json:"p99_seconds"`
	TimeoutSeconds   float64 `json:"timeout_seconds"`
	Retries          int     `json:"retries"`
	RetryOnTimeout   bool    `json:"retry_on_timeout"`
	CorrelationRatio float64 `json:"correlation_ratio"`
	ErrorRatio       float64 `json:"error_ratio"`

	LognormalMu     float64    `json:"lognormal_mu"` // of ln seconds
	LognormalSigma  float64    `json:"lognormal_sigma"`
	PointMass       bool       `json:"point_mass"` // p99 equals p50: every attempt takes as long
	P999Seconds     float64    `json:"p999_seconds"`
	TimeoutP99Ratio float64    `json:"timeout_p99_ratio"`
	Band            retry.Band `json:"band"`

	FalseTimeoutRatio float64 `json:"false_timeout_ratio"` // p, per attempt
	FalseTimeoutLevel Level   `json:"false_timeout_level"`

	FallbackRatio float64        `json:"fallback_ratio"`
	Causes        retry.Fallback `json:"fallback_causes"`

	// Independent is the fallback ratio if the attempts of a call had nothing
	// in common, SharedFateRatio the one if they all met one fate.
	Independent     Independent `json:"independent"`
	SharedFateRatio float64     `json:"shared_fate_ratio"`

	AmplificationRatio float64 `json:"amplification_ratio"`
	WorstCaseAttempts  int     `json:"worst_case_attempts"`

	CallsPerDay *float64   `json:"calls_per_day,omitempty"`
	Daily       *DailyLoss `json:"daily,omitempty"` // nil without calls a day
}

// Independent holds the fallback ratio of independent attempts: the two pure
// causes alone, pⁿ + eⁿ, and all sequences, qⁿ.
type Independent struct {
	ByCauseRatio   float64 `json:"by_cause_ratio"`
	WithMixedRatio float64 `json:"with_mixed_ratio"`
}

// DailyLoss counts calls a day.
type DailyLoss struct {
	FalseTimeouts float64 `json:"false_timeouts_per_day"` // first attempts cut off
	AllTimeOut    float64 `json:"all_time_out_per_day"`
	AllError      float64 `json:"all_error_per_day"`
	Mixed         float64 `json:"mixed_per_day"`
	Fallbacks     float64 `json:"fallbacks_per_day"`
}

// Calculate works it out, or returns an *InputError.
func (in FallbackInput) Calculate() (Fallback, error) {
	if err := in.check(); err != nil {
		return Fallback{}, err
	}
	l, err := throughQuantiles(in.P50, in.P99)
	if err != nil {
		return Fallback{}, err
	}
	p := l.Survival(in.Timeout)
	if p+in.ErrorRatio > 1 {
		return Fallback{}, &InputError{Input: "error-ratio", Got: plain(in.ErrorRatio),
			Want: fmt.Sprintf("must leave room beside the false-timeout ratio of %.4g: at most %.4g", p, 1-p)}
	}
	o := retry.Outcome{
		P: retry.Repeat(p, in.Retries+1), E: in.ErrorRatio, Correlation: in.Correlation,
		Attempts: in.Retries + 1, RetryOnTimeout: in.RetryOnTimeout,
	}
	f := in.result(l)
	f.FalseTimeoutRatio, f.FalseTimeoutLevel = p, LevelOf(p)
	f.Causes = retry.FallbackRatio(o)
	f.FallbackRatio = f.Causes.Total()
	f.Independent.ByCauseRatio, f.Independent.WithMixedRatio = retry.IndependentFallback(o)
	_, f.SharedFateRatio = retry.FallbackRange(o)
	f.AmplificationRatio, f.WorstCaseAttempts = retry.Amplification(o), retry.WorstCase(o)
	if in.CallsPerDay > 0 {
		f.CallsPerDay = &in.CallsPerDay
		f.Daily = f.daily(in.CallsPerDay)
	}
	return f, nil
}

// result restates the input and the latency.
func (in FallbackInput) result(l latency.Lognormal) Fallback {
	ratio := in.Timeout / in.P99
	return Fallback{
		P50Seconds: in.P50, P99Seconds: in.P99, TimeoutSeconds: in.Timeout,
		Retries: in.Retries, RetryOnTimeout: in.RetryOnTimeout,
		CorrelationRatio: in.Correlation, ErrorRatio: in.ErrorRatio,
		LognormalMu: l.Mu, LognormalSigma: l.Sigma, PointMass: l.PointMass(), P999Seconds: l.Quantile(0.001),
		TimeoutP99Ratio: ratio, Band: retry.BandOf(ratio),
	}
}

func (f Fallback) daily(calls float64) *DailyLoss {
	return &DailyLoss{
		FalseTimeouts: f.FalseTimeoutRatio * calls,
		AllTimeOut:    f.Causes.Timeout * calls,
		AllError:      f.Causes.Error * calls,
		Mixed:         f.Causes.Mixed * calls,
		Fallbacks:     f.FallbackRatio * calls,
	}
}

// throughQuantiles fits the lognormal; the checks before leave it no error.
func throughQuantiles(p50, p99 float64) (latency.Lognormal, error) {
	l, err := latency.FitQuantiles(
		latency.QuantilePoint{P: 0.5, Seconds: p50},
		latency.QuantilePoint{P: 0.99, Seconds: p99})
	if err != nil {
		return l, fmt.Errorf("fitting a lognormal through p50 and p99: %w", err)
	}
	return l, nil
}
