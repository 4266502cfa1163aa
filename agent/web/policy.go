package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/figure"
)

// policyRow is one thing that is declared beside what becomes of it. An empty
// Effective is the declaration itself.
type policyRow struct{ What, Declared, Effective string }

// policyOf sets the declared policy beside the one that takes effect.
func policyOf(a *audit.Assessment) []policyRow {
	p, e := a.Dependency.Policy, a.Effective
	rows := []policyRow{
		{"Timeout of each attempt", declaredDuration(p.Timeout), timeoutsText(e.Timeouts)},
		{"Connect timeout", declaredDuration(p.ConnectTimeout), ""},
		{"Deadline of the call", declaredDuration(p.Deadline), longestText(e.Longest)},
		{"Attempts", strconv.Itoa(p.Retries + 1), attemptsText(a)},
		{"Timeouts are retried", yesNo(p.RetryOnTimeout), ""},
		{"Wait between attempts", backoffText(p.Backoff), ""},
	}
	if p.RetryBudget != nil {
		rows = append(rows, policyRow{"Retry budget", figure.Ratio(*p.RetryBudget) + " of the calls", ""})
	}
	if p.HedgeAfter > 0 {
		hedge := policyRow{"A hedge is sent", "after " + p.HedgeAfter.String(), ""}
		if e.HedgeAfter == 0 {
			hedge.Effective = "never"
		}
		rows = append(rows, hedge)
	}
	for _, layer := range p.Layers {
		rows = append(rows, policyRow{"Layer below: " + layer.Name, fmt.Sprintf("%d attempts, timeout %s", layer.Attempts, declaredDuration(layer.Timeout)), ""})
	}
	idempotent := "not declared"
	if p.Idempotent != nil {
		idempotent = yesNo(*p.Idempotent)
	}
	return append(rows,
		policyRow{"May be sent twice", idempotent, ""},
		policyRow{"When every attempt fails", fallbackText(p.Fallback), ""},
		policyRow{"Deadline travels with the call", yesNo(p.DeadlinePropagated), ""})
}

func declaredDuration(d time.Duration) string {
	if d == 0 {
		return none
	}
	return d.String()
}

// timeoutsText lists what each attempt gets, once where all get the same.
func timeoutsText(timeouts []float64) string {
	var parts []string
	same := true
	for _, timeout := range timeouts {
		text := none
		if timeout > 0 {
			text = figure.Seconds(timeout)
		}
		parts = append(parts, text)
		same = same && text == parts[0]
	}
	if same {
		return parts[0]
	}
	return strings.Join(parts, ", then ")
}

func longestText(seconds float64) string {
	if seconds <= 0 {
		return "nothing bounds a call"
	}
	return "a call ends after " + figure.Seconds(seconds) + " at the latest"
}

func attemptsText(a *audit.Assessment) string {
	if a.Effective.Attempts == a.WorstCase {
		return strconv.Itoa(a.WorstCase)
	}
	return fmt.Sprintf("%d when all time out, %d when failures come at once", a.Effective.Attempts, a.WorstCase)
}

func backoffText(b config.Backoff) string {
	if b.Initial == 0 {
		return none
	}
	text := fmt.Sprintf("%s, then × %g", b.Initial, b.Multiplier)
	if b.Max > 0 {
		text += ", at most " + b.Max.String()
	}
	if b.Jitter == "full" {
		text += ", full jitter"
	}
	return text
}

func fallbackText(fallback string) string {
	switch fallback {
	case "default":
		return "a default value is returned"
	case "cache":
		return "a cached value is returned"
	}
	return "the caller gets an error"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
