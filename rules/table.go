package rules

import (
	"slices"
	"time"

	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// Table returns every rule: those about predicted ratios, about what the
// histogram and the counters show, about the declared policy alone, and about
// chains.
func Table() []Rule {
	return slices.Concat(ratioRules(), histogramRules(), policyRules(), chainRules())
}

func ratioRules() []Rule {
	return []Rule{
		{
			Code: "timeout-below-p99", Severity: Critical, Threshold: 0.01, For: 5 * time.Minute,
			Title:       "The timeout lies below the dependency's p99: more than 1% of healthy calls are cut off.",
			description: describeTimeoutBelowP99,
			judge:       judgeTimeoutBelowP99,
		},
		{
			Code: "false-timeout-ratio-high", Severity: Warning, For: 15 * time.Minute,
			Title:       "More attempts are cut off than target_false_timeout_ratio allows.",
			description: describeFalseTimeoutRatioHigh,
			judge:       judgeFalseTimeoutRatioHigh,
		},
		{
			Code: "fallback-ratio-high", Severity: Warning, Threshold: 0.001, For: 15 * time.Minute,
			Title:       "The predicted share of calls whose every attempt fails is above 0.1%.",
			description: describeFallbackRatioHigh,
			judge:       judgeFallbackRatioHigh,
		},
		{
			Code: "amplification-high", Severity: Warning, Threshold: 1.2, For: 15 * time.Minute,
			Title:       "Retries are predicted to send more than 1.2 attempts per call.",
			description: describeAmplificationHigh,
			judge:       judgeAmplificationHigh,
		},
		{
			Code: VerdictUnknown, Severity: Warning, For: 5 * time.Minute,
			Title:       "The dependency could not be judged for longer than hold_for.",
			description: "Nothing has been known about {{ $labels.dependency }} for longer than hold_for: its timeout may be fine or not. Ask `timeout-auditor check-config --online FILE` why.",
		},
		{
			Code: "timeout-far-above-p99", Severity: Info, Threshold: 10, For: time.Hour,
			Title:       "The timeout is ten times p99 or more: when the dependency hangs, threads pile up.",
			description: describeTimeoutFarAboveP99,
			judge:       judgeTimeoutFarAboveP99,
		},
	}
}

func histogramRules() []Rule {
	return []Rule{
		{
			Code: "connect-timeout-below-p99", Severity: Warning, Threshold: 0.01, For: 15 * time.Minute,
			Title:       "The connect timeout lies below the p99 of connecting.",
			description: "More than 1% of connections to {{ $labels.dependency }} would have been made, and are given up at the connect timeout.",
			judge:       judgeConnectTimeout,
		},
		{
			Code: "slow-replica", Severity: Warning, For: 15 * time.Minute,
			Title:       "One replica cuts off at least three times as many calls as the fleet.",
			description: "A replica of {{ $labels.dependency }} is slow while the fleet is not. The auditor's report names it.",
			judge:       judgeSlowReplica,
		},
		{
			Code: "measured-differs", Severity: Warning, For: 15 * time.Minute,
			Title:       "Counters measure at least twice or half of what the histogram predicts.",
			description: describeMeasuredDiffers,
			judge:       judgeMeasuredDiffers,
		},
		{
			Code: "tail-understated", Severity: Info, For: time.Hour,
			Title:       "A lognormal puts less into the tail than was counted there.",
			description: "The lognormal of {{ $labels.dependency }} understates its tail: do not rely on a figure from two percentiles.",
			judge:       judgeTailUnderstated,
		},
		{
			Code: "bucket-missing-at-timeout", Severity: Info, For: 15 * time.Minute, WorsensAfter: time.Hour,
			Title:       "The timeout lies inside a bucket too coarse to say on which side of p99 it is.",
			description: "No verdict is possible on the timeout of {{ $labels.dependency }} (" + timeoutText + "): add a bucket bound at exactly that value to its histogram.",
			judge:       judgeBucketMissing,
		},
	}
}

func policyRules() []Rule {
	return []Rule{
		{
			Code: dependencyLimitReached, Severity: Warning, For: 15 * time.Minute,
			Title:       "A for_each finds more dependencies than max_dependencies lets in.",
			description: "The entry {{ $labels.dependency }} finds more dependencies than its max_dependencies. Nothing is audited and nothing is known of those left out.",
			policyOnly:  true,
			judge:       judgeDependencyLimit,
		},
		{
			Code: "no-timeout", Severity: Warning, For: 15 * time.Minute,
			Title:       "The dependency declares neither a timeout nor a deadline.",
			description: "Calls to {{ $labels.dependency }} have no timeout and no deadline: one slow reply holds its thread or connection for good.",
			policyOnly:  true,
			judge:       judgeNoTimeout,
		},
		{
			Code: "retry-not-idempotent", Severity: Warning, For: 15 * time.Minute,
			Title:       "Timeouts are retried on calls that are not declared idempotent.",
			description: "An attempt to {{ $labels.dependency }} that timed out may have been applied, and is sent again. " + value(metric.UnknownOutcomes, "", plain) + " attempts a second end that way.",
			policyOnly:  true,
			judge:       judgeRetryNotIdempotent,
		},
		{
			Code: "per-attempt-timeout-dead", Severity: Warning, For: 15 * time.Minute,
			Title:       "The per-attempt timeout is not below the deadline, so it never acts.",
			description: "The per-attempt timeout of {{ $labels.dependency }} is as long as its deadline or longer: the first slow attempt uses up the whole call and no retry follows.",
			policyOnly:  true,
			judge: judgeDifference("set the timeout so that all attempts fit into the deadline, or drop the retries",
				retry.CodePerAttemptTimeoutDead),
		},
		{
			Code: "retries-exceed-deadline", Severity: Warning, For: 15 * time.Minute,
			Title:       "The declared retries do not fit into the deadline.",
			description: "The deadline of {{ $labels.dependency }} cuts declared retries short or never starts them.",
			policyOnly:  true,
			judge: judgeDifference("fewer retries, a shorter timeout per attempt, or a longer deadline",
				retry.CodeRetriesExceedDeadline, retry.CodeDeadlineCutsAttempt),
		},
		{
			Code: "fallback-uncounted", Severity: Info, For: time.Hour,
			Title:       "A default or a cached value is returned on failure and nothing counts it.",
			description: "When all attempts to {{ $labels.dependency }} fail, its caller returns something that looks like success, and no counter says how often.",
			policyOnly:  true,
			judge:       judgeFallbackUncounted,
		},
		{
			Code: "connect-timeout-missing", Severity: Info, For: time.Hour,
			Title:       "No connect timeout is declared: a host that is gone is noticed only after the whole timeout.",
			description: "Connecting to {{ $labels.dependency }} has no timeout of its own. It takes about one round trip, so a host that is gone could be noticed at once.",
			policyOnly:  true,
			judge:       judgeConnectTimeoutMissing,
		},
		{
			Code: "no-deadline", Severity: Info, For: time.Hour,
			Title:       "Attempts have a timeout, the whole call has no deadline.",
			description: "Each attempt to {{ $labels.dependency }} is bounded, the call with all its retries and backoff is not.",
			policyOnly:  true,
			judge:       judgeNoDeadline,
		},
	}
}

func chainRules() []Rule {
	return []Rule{
		{
			Code: "chain-over-budget", Severity: Warning, For: 15 * time.Minute,
			Title:       "The calls of a chain do not fit into its deadline.",
			description: "The calls of {{ $labels.chain }} need " + chainValue(metric.ChainNeeded, seconds) + " and have " + chainValue(metric.ChainBudget, seconds) + ".",
			judgeChain:  judgeChainOverBudget,
		},
		{
			Code: "chain-amplification-high", Severity: Warning, Threshold: 4, For: 15 * time.Minute,
			Title:       "Retries of several levels multiply to more than 4 attempts.",
			description: "One call of {{ $labels.chain }} becomes up to " + chainValue(metric.ChainWorstCaseAmplification, plain) + " attempts at its innermost callee.",
			judgeChain:  judgeChainAmplification,
		},
		{
			Code: "deadline-inversion", Severity: Warning, For: 15 * time.Minute,
			Title:       "An inner call may outlive what its caller has left.",
			description: "A callee in {{ $labels.chain }} goes on working after its caller has given up. The auditor's report names it.",
			judgeChain:  judgeDeadlineInversion,
		},
	}
}
