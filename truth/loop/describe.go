package loop

import (
	"strconv"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// String tells the whole scenario but its latency.
func (s scenario) String() string {
	p := s.policy
	var parts []string
	add := func(said bool, text string) {
		if said {
			parts = append(parts, text)
		}
	}
	add(p.Timeout > 0, "timeout "+figure.Seconds(p.Timeout))
	add(p.Deadline > 0, "deadline "+figure.Seconds(p.Deadline))
	add(p.HedgeAfter > 0, "hedge after "+figure.Seconds(p.HedgeAfter))
	add(!s.hedged() || p.Retries > 0, retries(p.Retries))
	add(p.Retries > 0 && !p.RetryOnTimeout, "timeouts not retried")
	add(p.Backoff.Initial > 0, backoffText(p.Backoff))
	if p.Budget != nil {
		add(true, "retry budget "+figure.Ratio(*p.Budget))
	}
	add(s.errorRatio > 0, "errors "+figure.Ratio(s.errorRatio))
	add(p.Retries > 0 || s.hedged(), "rho "+strconv.FormatFloat(s.correlation, 'g', -1, 64))
	return strings.Join(parts, ", ")
}

func retries(n int) string {
	switch n {
	case 0:
		return "no retries"
	case 1:
		return "1 retry"
	}
	return strconv.Itoa(n) + " retries"
}

func backoffText(b retry.Backoff) string {
	text := "backoff " + figure.Seconds(b.Initial)
	if b.Multiplier > 1 {
		text += " × " + strconv.FormatFloat(b.Multiplier, 'g', -1, 64)
	}
	if b.Max > 0 {
		text += " up to " + figure.Seconds(b.Max)
	}
	if b.FullJitter {
		text += " with full jitter"
	}
	return text
}
