package rules

import (
	"fmt"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/figure"
)

func judgeNoTimeout(a *audit.Assessment, _ float64) judgement {
	if a.Policy.Timeout > 0 || a.Policy.Deadline > 0 {
		return clear
	}
	return found("no timeout and no deadline are declared: one hanging reply holds its thread or connection for good",
		"declare the client's real timeout, or set one: the p99 of the dependency with headroom")
}

func judgeNoDeadline(a *audit.Assessment, _ float64) judgement {
	if a.Policy.Deadline > 0 || a.Policy.Timeout <= 0 {
		return clear
	}
	return found(fmt.Sprintf("no deadline spans the attempts: a call may take %s", figure.Seconds(a.Effective.Longest)),
		"set a deadline for the whole call, retries and backoff included")
}

func judgeFallbackUncounted(a *audit.Assessment, _ float64) judgement {
	returns := a.Dependency.Policy.Fallback
	if returns != "default" && returns != "cache" || a.Dependency.Observed.Fallbacks != "" {
		return clear
	}
	return found(fmt.Sprintf("a %s value is returned when all attempts fail, and nothing counts it: it looks like success on every dashboard", returns),
		"count it in the caller and name the counter under observed.fallbacks")
}

func judgeConnectTimeoutMissing(a *audit.Assessment, _ float64) judgement {
	if a.Dependency.Policy.ConnectTimeout > 0 || a.Limit <= 0 {
		return clear
	}
	return found(fmt.Sprintf("no connect timeout is declared: a host that is gone is noticed only after %s", figure.Seconds(a.Limit)),
		"set one: connecting takes about one round trip, so some hundred milliseconds are plenty inside a region")
}

func judgeRetryNotIdempotent(a *audit.Assessment, _ float64) judgement {
	idempotent := a.Dependency.Policy.Idempotent
	if a.Policy.Retries == 0 || !a.Policy.RetryOnTimeout || idempotent != nil && *idempotent {
		return clear
	}
	message := "timeouts are retried, and the calls are not declared idempotent: what timed out may have been applied, and is sent again"
	if rate := a.UnknownOutcomesPerSecond; rate != nil {
		message += fmt.Sprintf(" (%s unknown outcomes a day)", figure.Count(*rate*secondsPerDay))
	}
	return found(message, "declare idempotent: true if a repeated call does no harm; else send an idempotency key, or retry errors only (retry_on_timeout: false)")
}

const secondsPerDay = 24 * 60 * 60

// judgeDifference finds what the effective policy makes of the declared one, by
// any of the given codes of retry.Difference.
func judgeDifference(advice string, codes ...string) judge {
	return func(a *audit.Assessment, _ float64) judgement {
		for _, difference := range a.Effective.Differences {
			if slices.Contains(codes, difference.Code) {
				return found(fmt.Sprintf("%s is declared as %s and takes effect as %s: %s",
					difference.What, difference.Declared, difference.Effective, difference.Why), advice)
			}
		}
		return clear
	}
}
