package metric

import "slices"

// Kind is a metric's type in the exposition.
type Kind string

const (
	Gauge     Kind = "gauge"
	Counter   Kind = "counter"
	Histogram Kind = "histogram"
)

// Desc describes one metric. Ratios are 0 to 1, times are seconds.
type Desc struct {
	Name   string
	Kind   Kind
	Help   string
	Labels []string // all of them, in order
}

// Names of what is exported for each dependency.
const (
	PredictedFalseTimeoutRatio = "timeout_auditor_predicted_false_timeout_ratio"
	FalseTimeoutRatioLower     = "timeout_auditor_false_timeout_ratio_lower"
	FalseTimeoutRatioUpper     = "timeout_auditor_false_timeout_ratio_upper"
	LognormalFalseTimeoutRatio = "timeout_auditor_lognormal_false_timeout_ratio"
	ObservedFalseTimeoutRatio  = "timeout_auditor_observed_false_timeout_ratio"
	PredictedFallbackRatio     = "timeout_auditor_predicted_fallback_ratio"
	PredictedAmplification     = "timeout_auditor_predicted_amplification_ratio"
	WorstCaseAmplification     = "timeout_auditor_worst_case_amplification_ratio"
	LatencyP50                 = "timeout_auditor_latency_p50_seconds"
	LatencyP90                 = "timeout_auditor_latency_p90_seconds"
	LatencyP99                 = "timeout_auditor_latency_p99_seconds"
	LatencyP999                = "timeout_auditor_latency_p999_seconds"
	FitKSDistance              = "timeout_auditor_fit_ks_distance"
	LognormalSigma             = "timeout_auditor_lognormal_sigma"
	PolicyTimeout              = "timeout_auditor_policy_timeout_seconds"
	PolicyRetries              = "timeout_auditor_policy_retries"
	TimeoutP99Ratio            = "timeout_auditor_timeout_p99_ratio"
	RecommendedTimeout         = "timeout_auditor_recommended_timeout_seconds"
	RecommendedTimeoutStep     = "timeout_auditor_recommended_timeout_step_seconds"
	CorrelationRatio           = "timeout_auditor_correlation_ratio"
	TripPoint                  = "timeout_auditor_trip_point_ratio"
	UnknownOutcomes            = "timeout_auditor_unknown_outcomes_per_second"
	AttemptsPerSecond          = "timeout_auditor_attempts_per_second"
	Samples                    = "timeout_auditor_samples"
	DependencyStatus           = "timeout_auditor_dependency_status"
	Finding                    = "timeout_auditor_finding"
)

// Names of what is exported for each chain.
const (
	ChainBudget                 = "timeout_auditor_chain_budget_seconds"
	ChainNeeded                 = "timeout_auditor_chain_needed_seconds"
	ChainAmplification          = "timeout_auditor_chain_amplification_ratio"
	ChainWorstCaseAmplification = "timeout_auditor_chain_worst_case_amplification_ratio"
)

// Names of what the auditor says about itself.
const (
	Cycles                    = "timeout_auditor_cycles_total"
	CycleDuration             = "timeout_auditor_cycle_duration_seconds"
	CyclesMissed              = "timeout_auditor_cycles_missed_total"
	CyclesCutShort            = "timeout_auditor_cycles_cut_short_total"
	LastCycle                 = "timeout_auditor_last_cycle_timestamp_seconds"
	LastSuccess               = "timeout_auditor_last_success_timestamp_seconds"
	Queries                   = "timeout_auditor_queries_total"
	QueryDuration             = "timeout_auditor_query_duration_seconds"
	Notifications             = "timeout_auditor_notifications_total"
	NotificationQueueLength   = "timeout_auditor_notification_queue_length"
	NotificationDuration      = "timeout_auditor_notification_duration_seconds"
	ConfigReloadSuccessful    = "timeout_auditor_config_last_reload_successful"
	ConfigReloadSuccessSecond = "timeout_auditor_config_last_reload_success_timestamp_seconds"
	BuildInfo                 = "timeout_auditor_build_info"
)

// DependencyLabels are on every metric of a dependency; caller, callee and
// owner are empty where the configuration sets none.
func DependencyLabels() []string { return []string{"dependency", "caller", "callee", "owner"} }

// ChainLabels are on every metric of a chain.
func ChainLabels() []string { return []string{"chain", "caller", "callee", "owner"} }

// Table returns every metric of the auditor's own, dependencies first.
func Table() []Desc { return slices.Concat(PerDependency(), PerChain(), ofItself()) }

// Lookup returns the row of a name, which must be one of this package's
// constants: any other panics, since only code can ask.
func Lookup(name string) Desc {
	table := Table()
	i := slices.IndexFunc(table, func(d Desc) bool { return d.Name == name })
	return table[i]
}

// PerDependency returns the metrics of dependencies, all gauges.
func PerDependency() []Desc {
	gauge := func(name, help string, labels ...string) Desc {
		return Desc{Name: name, Kind: Gauge, Help: help, Labels: append(DependencyLabels(), labels...)}
	}
	return []Desc{
		gauge(PredictedFalseTimeoutRatio, "Predicted share of attempts cut off by the timeout although their reply would come."),
		gauge(FalseTimeoutRatioLower, "Lower end of the hard bracket on the false-timeout ratio (99%, Clopper-Pearson on bucket counts)."),
		gauge(FalseTimeoutRatioUpper, "Upper end of the hard bracket on the false-timeout ratio (99%, Clopper-Pearson on bucket counts)."),
		gauge(LognormalFalseTimeoutRatio, "False-timeout ratio by the lognormal through p50 and p99, for checking by hand."),
		gauge(ObservedFalseTimeoutRatio, "Timeouts divided by attempts, as the configured counters counted them."),
		gauge(PredictedFallbackRatio, "Predicted share of calls whose every attempt fails, by cause.", "cause"),
		gauge(PredictedAmplification, "Predicted attempts per call."),
		gauge(WorstCaseAmplification, "Attempts per call when every attempt fails."),
		gauge(LatencyP50, "Median latency over the window, as histogram_quantile gives it."),
		gauge(LatencyP90, "90th percentile of latency over the window, from the fetched buckets (metrics.detail)."),
		gauge(LatencyP99, "99th percentile of latency over the window, as histogram_quantile gives it; with the reason top-bucket a lower bound."),
		gauge(LatencyP999, "99.9th percentile of latency over the window, from the fetched buckets (metrics.detail)."),
		gauge(FitKSDistance, "Largest distance between the binned lognormal fit and the counts, at bucket bounds (metrics.detail)."),
		gauge(LognormalSigma, "Sigma of the lognormal through p50 and p99."),
		gauge(PolicyTimeout, "Declared timeout per attempt."),
		gauge(PolicyRetries, "Declared retries per call."),
		gauge(TimeoutP99Ratio, "Effective timeout divided by p99."),
		gauge(RecommendedTimeout, "Timeout that would meet target_false_timeout_ratio with headroom; absent where the data cannot carry one."),
		gauge(RecommendedTimeoutStep, "Timeout to set next: at most max_step away from the effective one, towards the recommended one."),
		gauge(CorrelationRatio, "Share of calls whose attempts share one fate, and where that figure comes from.", "source"),
		gauge(TripPoint, "Factor by which latency may grow before retries exceed the retry budget, or 20% of calls without one."),
		gauge(UnknownOutcomes, "Attempts cut off per second: a write among them may have been applied."),
		gauge(AttemptsPerSecond, "Attempts per second over the window, as the histogram counted them."),
		gauge(Samples, "Calls behind the figures, shrunk for what increase() extrapolates."),
		gauge(DependencyStatus, "1 for the status that the dependency has, 0 for the others.", "status"),
		gauge(Finding, "1 while a rule holds for the dependency. chain is empty for a dependency.", "chain", "rule", "severity"),
	}
}

// PerChain returns the metrics of chains, all gauges.
func PerChain() []Desc {
	gauge := func(name, help string) Desc {
		return Desc{Name: name, Kind: Gauge, Help: help, Labels: ChainLabels()}
	}
	return []Desc{
		gauge(ChainBudget, "Deadline of the chain."),
		gauge(ChainNeeded, "What the chain's calls need: every attempt two p99, with retries and overhead; a lower bound while a hop is unknown."),
		gauge(ChainAmplification, "Expected attempts at the innermost callee for each call of the chain."),
		gauge(ChainWorstCaseAmplification, "Attempts at the innermost callee for each call of the chain when everything fails."),
	}
}

func ofItself() []Desc {
	return []Desc{
		{Cycles, Counter, "Audit cycles by result: success, partial (the queries of some dependencies failed) or failure (those of all did).", []string{"result"}},
		{CycleDuration, Histogram, "Duration of an audit cycle.", nil},
		{CyclesMissed, Counter, "Scheduled cycles that did not start because the one before was still running.", nil},
		{CyclesCutShort, Counter, "Cycles that ran out of time before every query was answered; they report what they have.", nil},
		{LastCycle, Gauge, "Unix time of the end of the last cycle, 0 before the first.", nil},
		{LastSuccess, Gauge, "Unix time of the end of the last cycle in which Prometheus answered for at least one dependency, 0 before the first.", nil},
		{Queries, Counter, "Queries sent to Prometheus by result.", []string{"result"}},
		{QueryDuration, Histogram, "Duration of a query to Prometheus.", nil},
		{Notifications, Counter, "Alerts pushed to Alertmanagers by result, each try counted.", []string{"alertmanager", "result"}},
		{NotificationQueueLength, Gauge, "Alerts that wait to be pushed to an Alertmanager.", []string{"alertmanager"}},
		{NotificationDuration, Histogram, "Duration of a push to an Alertmanager.", []string{"alertmanager"}},
		{ConfigReloadSuccessful, Gauge, "1 if the last load of the configuration succeeded, 0 if it failed and the one before is still in force.", nil},
		{ConfigReloadSuccessSecond, Gauge, "Unix time of the last successful load of the configuration.", nil},
		{BuildInfo, Gauge, "1, with the version that was built.", []string{"version", "revision", "branch", "goversion", "goos", "goarch", "tags"}},
	}
}
