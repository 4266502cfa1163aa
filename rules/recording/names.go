package recording

import "github.com/timeout-auditor/timeout-auditor/metric"

// Names of the recorded series, as level:metric:operations. Declared figures
// come from the configuration, effective ones from what a deadline leaves of
// it, those of the window from the data.
const (
	PolicyTimeout    = "dependency:" + metric.PolicyTimeout + ":declared"
	EffectiveTimeout = "dependency:" + metric.PolicyTimeout + ":effective"
	PolicyRetries    = "dependency:" + metric.PolicyRetries + ":declared"
	WorstCase        = "dependency:" + metric.WorstCaseAmplification + ":effective"
	Correlation      = "dependency:" + metric.CorrelationRatio + ":declared"
	NoTimeout        = "dependency:timeout_auditor_no_timeout:declared"

	Samples           = "dependency:" + metric.Samples + ":window"
	P50               = "dependency:" + metric.LatencyP50 + ":window"
	P99               = "dependency:" + metric.LatencyP99 + ":window"
	Largest           = "dependency:timeout_auditor_latency_largest_seconds:window"
	TimeoutP99Ratio   = "dependency:" + metric.TimeoutP99Ratio + ":window"
	Sigma             = "dependency:" + metric.LognormalSigma + ":window"
	Score             = "dependency:timeout_auditor_lognormal_score:window"
	FalseTimeoutRatio = "dependency:" + metric.LognormalFalseTimeoutRatio + ":window"
	LastScore         = "dependency:timeout_auditor_lognormal_last_score:window"
	LastFalseTimeout  = "dependency:timeout_auditor_lognormal_last_false_timeout_ratio:window"
	ErrorRatio        = "dependency:timeout_auditor_error_ratio:window"
	RetryShare        = "dependency:timeout_auditor_retry_share_ratio:window"
	FallbackRatio     = "dependency_cause:timeout_auditor_lognormal_fallback_ratio:window"
	Amplification     = "dependency:timeout_auditor_lognormal_amplification_ratio:window"
	Unknown           = "dependency_reason:timeout_auditor_unknown:window"
)

// Reasons why a figure is absent, the label reason of Unknown. Those that the
// auditor knows too have its words.
const (
	ReasonNoData        = "no-data"        // no series, no calls, or more than one value where one is asked for
	ReasonTopBucket     = "top-bucket"     // p99 lies beyond the highest finite bound
	ReasonFirstBucket   = "first-bucket"   // p50 and p99 lie in the first bucket
	ReasonPointMass     = "point-mass"     // p50 is p99: nothing is spread
	ReasonThinData      = "thin-data"      // too few calls to say that a timeout is fine
	ReasonQuantilesOnly = "quantiles-only" // nothing counts the calls
	ReasonErrorRatio    = "no-error-ratio" // p is known, what follows from it is not
	ReasonHedged        = "hedged"         // p is known, fallbacks and attempts are left to the auditor
)

// Reasons lists every reason, the one that is said first first.
func Reasons() []string {
	return []string{
		ReasonNoData, ReasonTopBucket, ReasonFirstBucket, ReasonPointMass, ReasonQuantilesOnly, ReasonThinData, ReasonErrorRatio, ReasonHedged,
	}
}

// Desc describes one recorded series.
type Desc struct {
	Name, Help string
	Labels     []string // beyond those of every dependency
}

// Table returns every recorded series in the order of the rules.
func Table() []Desc {
	return []Desc{
		{PolicyTimeout, "Declared timeout per attempt, in seconds.", nil},
		{EffectiveTimeout, "The timeout that latency is judged against: what the deadline and the layers leave of the declared one, or the deadline where whole calls are measured.", nil},
		{PolicyRetries, "Declared retries per call.", nil},
		{WorstCase, "Requests per call when every attempt fails.", nil},
		{Correlation, "Share of calls whose attempts share one fate, as configured.", nil},
		{NoTimeout, "1 where neither a timeout nor a deadline cuts anything off. No false-timeout ratio is recorded then.", nil},
		{Samples, "Calls or attempts counted over the window, as increase() extrapolates them.", nil},
		{P50, "Median latency over the window, in seconds.", nil},
		{P99, "99th percentile of latency over the window, in seconds; with the reason top-bucket a lower bound.", nil},
		{Largest, "End of the highest bucket that holds anything, in seconds. Calls beyond the highest finite bound do not raise it: p99 at this value is a lower bound.", nil},
		{TimeoutP99Ratio, "Effective timeout divided by p99.", nil},
		{Sigma, "Sigma of the lognormal through the quantiles.", nil},
		{Score, "How many sigmas ln(timeout) lies above ln(median).", nil},
		{FalseTimeoutRatio, "P(X > timeout) by that lognormal: the share of attempts cut off although their reply would come.", nil},
		{LastScore, "The score of the last attempt's timeout, where the deadline leaves it less time.", nil},
		{LastFalseTimeout, "The false-timeout ratio of that attempt.", nil},
		{ErrorRatio, "Attempts that fail otherwise than by timeout, divided by attempts.", nil},
		{RetryShare, "Share of the calls in need of retries to which the retry budget grants them.", nil},
		{FallbackRatio, "Share of calls whose every attempt fails, by cause.", []string{"cause"}},
		{Amplification, "Expected attempts per call.", nil},
		{Unknown, "1 while a figure is absent or says less than it seems, with the reason.", []string{"reason"}},
	}
}
