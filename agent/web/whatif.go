package web

import (
	"net/url"
	"strconv"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// whatIfView is another policy beside the one in force.
type whatIfView struct {
	whatIfForm
	Now, Then   *report.FiguresDocument // Then is nil without a question that can be answered
	Unseen      *unseenAnswer           // nil: the histogram reaches the timeout
	Differences []retry.Difference      // between the policy asked about and what would take effect
	CallScope   bool
	ByHand      string // the calculator with the same numbers; "": they are not known
}

// unseenAnswer is all that can be said of a timeout that the histogram says
// nothing about: beyond one that bent it p can only fall, below it only rise.
type unseenAnswer struct {
	Least, Most float64
	Beyond      bool
}

// whatIfOf answers the address's question from an assessment.
func (s *site) whatIfOf(a *audit.Assessment, v url.Values) *whatIfView {
	view := &whatIfView{
		whatIfForm: whatIfFrom(v, a.Dependency.Policy, a.Correlation.Value),
		Now:        report.FiguresOf(a), CallScope: a.Dependency.Latency.Scope == "call",
	}
	view.ByHand = s.byHand(a, view.whatIfForm)
	if !view.Asked || view.Wrong {
		return view
	}
	correlated := *a
	correlated.Correlation.Value = view.correlation
	then := correlated.WhatIf(view.policy)
	view.Differences = then.Effective.Differences
	if then.Limit > 0 && then.Limit != a.Limit && !a.Sees(then.Limit) {
		view.Unseen = unseenOf(a, then.Limit)
		then = withoutFigures(then)
	}
	view.Then = report.FiguresOf(then)
	return view
}

func unseenOf(a *audit.Assessment, timeout float64) *unseenAnswer {
	answer := unseenAnswer{Most: 1, Beyond: timeout > a.Limit && a.Limit > 0}
	switch {
	case a.FalseTimeout == nil:
	case answer.Beyond:
		answer.Most = a.FalseTimeout.Upper
	default:
		answer.Least = a.FalseTimeout.Lower
	}
	return &answer
}

// withoutFigures keeps what follows from the policy alone.
func withoutFigures(a *audit.Assessment) *audit.Assessment {
	without := *a
	without.FalseTimeout, without.Fallback, without.Amplification, without.CallDuration, without.CallsInFlight = nil, nil, nil, nil, nil
	without.AttemptsPerSecond, without.UnknownOutcomesPerSecond, without.TripPoint = nil, nil, nil
	return &without
}

// byHand is the address of the calculator with the numbers of a policy.
func (s *site) byHand(a *audit.Assessment, f whatIfForm) string {
	if a.P50 == nil || a.P99 == nil || f.policy.Timeout <= 0 || a.Dependency.Latency.Scope == "call" {
		return ""
	}
	seconds := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) + "s" }
	v := url.Values{
		"calculator": {"fallback"}, "p50": {seconds(*a.P50)}, "p99": {seconds(*a.P99)}, "timeout": {f.policy.Timeout.String()},
		"retries": {strconv.Itoa(f.policy.Retries)}, "correlation": {strconv.FormatFloat(f.correlation, 'g', 4, 64)},
		"retry-on-timeout": {strconv.FormatBool(f.policy.RetryOnTimeout)},
	}
	if a.ErrorRatio != nil {
		v.Set("error-ratio", strconv.FormatFloat(*a.ErrorRatio, 'g', 6, 64))
	}
	if a.CallsPerSecond != nil {
		v.Set("calls-per-day", strconv.FormatFloat(*a.CallsPerSecond*secondsPerDay, 'f', 0, 64))
	}
	return s.links.prefix + "/calc?" + v.Encode() + "#fallback"
}

const secondsPerDay = 24 * 60 * 60
