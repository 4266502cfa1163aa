package audit

import (
	"fmt"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// declaredPolicy restates a configured policy in seconds.
func declaredPolicy(p config.Policy) retry.Policy {
	policy := retry.Policy{
		Timeout:        p.Timeout.Seconds(),
		Deadline:       p.Deadline.Seconds(),
		Retries:        p.Retries,
		RetryOnTimeout: p.RetryOnTimeout,
		Backoff: retry.Backoff{
			Initial:    p.Backoff.Initial.Seconds(),
			Multiplier: p.Backoff.Multiplier,
			Max:        p.Backoff.Max.Seconds(),
			FullJitter: p.Backoff.Jitter == "full",
		},
		Budget:     p.RetryBudget,
		HedgeAfter: p.HedgeAfter.Seconds(),

		AttemptLimit:   p.AttemptLimit,
		DefaultRetries: p.DefaultRetries,
		DefaultBy:      p.DefaultBy,
	}
	for _, layer := range p.Layers {
		policy.Layers = append(policy.Layers, retry.Layer{Name: layer.Name, Attempts: layer.Attempts, Timeout: layer.Timeout.Seconds()})
	}
	return policy
}

// limitOf returns what latency is judged against: a call histogram has the
// retries inside, so only the deadline says anything about it (docs/model.md,
// "Words").
func limitOf(dep *config.Dependency, effective retry.Effective) float64 {
	if dep.Latency.Scope == "call" {
		return dep.Policy.Deadline.Seconds()
	}
	if len(effective.Timeouts) == 0 {
		return 0
	}
	return effective.Timeouts[0]
}

func perDay(perSecond float64) float64 { return perSecond * (24 * time.Hour).Seconds() }

// Subject names what is judged: the same latency against the same policy. When
// it changes, verdicts about the old one say nothing about the new one.
func (a *Assessment) Subject() string {
	l, p := a.Dependency.Latency, a.Policy
	budget := "none"
	if p.Budget != nil {
		budget = fmt.Sprint(*p.Budget)
	}
	return fmt.Sprintf("%s%v scope=%s limit=%g deadline=%g retries=%d layers=%v on-timeout=%t budget=%s limit=%d unasked=%d",
		l.Histogram, l.Matchers, l.Scope, a.Limit, p.Deadline, p.Retries, p.Layers, p.RetryOnTimeout, budget, p.AttemptLimit, p.DefaultRetries)
}
