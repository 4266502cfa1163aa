package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// retries is section 7.
func (e *explanation) retries() {
	e.heading("Retries, fallbacks and amplification (§5)")
	switch {
	case !e.Known():
		e.unanswered()
		return
	case e.FalseTimeout == nil:
		e.say("Without p (5) there is nothing to carry through the retries. At worst a call makes %d attempts.", e.WorstCase)
		return
	case e.Fallback == nil:
		e.say("The error ratio's query gave no answer, so neither fallbacks nor amplification can be predicted. At worst a call makes %d attempts.", e.WorstCase)
		return
	case e.callScope():
		e.formula("the histogram has the retries inside, so F = p at the deadline = %s", share(e.Fallback.Ratio.Point))
		e.perDay()
		return
	}
	o := e.OutcomeAt(e.FalseTimeout.Point)
	e.inputs(o)
	if plain(o) {
		e.closedForm(o)
	} else {
		e.walked(o)
	}
	e.budget(o)
	f := e.Fallback.Ratio
	e.formula("F = timeouts + errors + mixed = %s + %s + %s = %s; A = %s", digits(e.Fallback.Cause.Timeout), digits(e.Fallback.Cause.Error),
		digits(e.Fallback.Cause.Mixed), share(f.Point), digits(e.Amplification.Point))
	independent, shared := retry.FallbackRange(o)
	e.formula("whatever rho is: from %s (rho = 0) to %s (rho = 1)", digits(independent), digits(shared))
	e.formula("at the ends of p's bracket: F from %s to %s, A from %s to %s", digits(f.Lower), digits(f.Upper),
		digits(e.Amplification.Lower), digits(e.Amplification.Upper))
	e.formula("at worst, when everything fails at once: %d attempts", e.WorstCase)
	e.perDay()
	e.held()
	e.comparisons()
}

func (e *explanation) inputs(o retry.Outcome) {
	source := "configured"
	if query := e.Assessment.Dependency.ErrorRatio.Query; query != "" {
		source = "answered by error_ratio"
	}
	if e.Assessment.Dependency.ErrorRatioIncludesTimeouts {
		source += fmt.Sprintf(", less p, since it includes timeouts: %s - %s", digits(*e.ErrorRatio), digits(e.FalseTimeout.Point))
	}
	e.formula("n = %d attempts, p = %s (5), e = %s (%s), q = p + e = %s", o.Attempts, digits(o.P[0]), digits(o.E), source, digits(o.P[0]+o.E))
	rho := e.Correlation
	interval := ""
	if rho.Interval != nil {
		interval = fmt.Sprintf(", from %s to %s", digits(rho.Interval.Lower), digits(rho.Interval.Upper))
	}
	e.formula("rho = %s (%s%s): the share of calls whose attempts all meet one fate", digits(rho.Value), rho.Source, interval)
}

// plain reports whether the closed form holds: n attempts that may all time out
// with one p, and no request beside another.
func plain(o retry.Outcome) bool {
	return o.RetryOnTimeout && o.AfterErrors == nil && o.Hedge == nil && len(o.P) == o.Attempts && len(slices.Compact(slices.Clone(o.P))) == 1
}

// closedForm fills in the formulas of docs/model.md §5, before any budget.
func (e *explanation) closedForm(o retry.Outcome) {
	without := o
	without.Budget = nil
	cause := retry.FallbackRatio(without)
	n, rho := o.Attempts, digits(o.Correlation)
	own := digits(1 - o.Correlation)
	p, errs, q := digits(o.P[0]), digits(o.E), digits(o.P[0]+o.E)
	e.formula("all time out: rho·p + (1 - rho)·pⁿ = %s·%s + %s·%s^%d = %s", rho, p, own, p, n, digits(cause.Timeout))
	e.formula("all error: rho·e + (1 - rho)·eⁿ = %s·%s + %s·%s^%d = %s", rho, errs, own, errs, n, digits(cause.Error))
	e.formula("mixed: (1 - rho)·(qⁿ - pⁿ - eⁿ) = %s·(%s^%d - %s^%d - %s^%d) = %s", own,
		precise(o.P[0]+o.E), n, precise(o.P[0]), n, precise(o.E), n, digits(cause.Mixed))
	const most = 6
	var terms []string
	for k := 1; k < min(n, most); k++ {
		terms = append(terms, fmt.Sprintf("(%s·%s + %s·%s^%d)", rho, q, own, q, k))
	}
	if n > most {
		terms = append(terms, "…")
	}
	filled := strings.Join(append([]string{"1"}, terms...), " + ")
	e.formula("A = 1 + Σ_{k=1}^{n-1} [rho·q + (1 - rho)·qᵏ] = %s = %s", filled, digits(retry.Amplification(without)))
}

// walked covers timeouts that are not retried, later attempts with less time,
// and hedges: sequences are added up one by one.
func (e *explanation) walked(o retry.Outcome) {
	without := o
	without.Budget = nil
	e.hedged(o)
	if !o.RetryOnTimeout {
		e.say("Timeouts are not retried: a call ends at its first timeout, and only errors lead to another attempt.")
		if o.AfterErrors == nil && o.Hedge == nil {
			e.notRetried(without)
			return
		}
	} else {
		if o.P[len(o.P)-1] > o.P[0] || o.AfterErrors != nil || len(o.P) < o.Attempts {
			e.say("The deadline leaves later attempts less time.")
		}
		e.say("After 0, 1, … timeouts the next attempt times out with p = %s, and the call ends after %d timeouts or %d failures.",
			joined(o.P), len(o.P), o.Attempts)
	}
	for j, row := range o.AfterErrors {
		if len(row) == 0 {
			e.say("After %d errors nothing is left of the deadline.", j+1)
			break
		}
		e.say("Errors take time too: after %d of them p = %s.", j+1, joined(row))
	}
	independent, shared := retry.FallbackRange(without)
	e.say("All sequences of timeouts and errors that fail are added up.")
	e.formula("F = rho·(p + e) + (1 - rho)·(all sequences) = %s·%s + %s·%s = %s", digits(o.Correlation), digits(shared),
		digits(1-o.Correlation), digits(independent), digits(retry.FallbackRatio(without).Total()))
	e.formula("A, the attempts of the same sequences, = %s", digits(retry.Amplification(without)))
}

// notRetried fills in the formulas for retries that follow errors only.
func (e *explanation) notRetried(o retry.Outcome) {
	n, p, errs := o.Attempts, digits(o.P[0]), digits(o.E)
	rho, own := digits(o.Correlation), digits(1-o.Correlation)
	e.formula("F = rho·(p + e) + (1 - rho)·[p·(1 - eⁿ)/(1 - e) + eⁿ] = %s·(%s + %s) + %s·(%s·(1 - %s^%d)/(1 - %s) + %s^%d) = %s",
		rho, p, errs, own, p, errs, n, errs, errs, n, digits(retry.FallbackRatio(o).Total()))
	e.formula("A = 1 + Σ_{k=1}^{n-1} [rho·e + (1 - rho)·eᵏ] = %s", digits(retry.Amplification(o)))
}

// hedged says what a second request does for one attempt.
func (e *explanation) hedged(o retry.Outcome) {
	if o.Hedge == nil {
		return
	}
	e.say("A hedge is sent when the first request is %s old: %s of the attempts send one, and it times out in the time left with %s. An attempt whose requests are independent times out when both do.",
		setSeconds(e.Effective.HedgeAfter), share(o.Hedge.Open), digits(max(o.Hedge.Late, o.P[0])))
	e.formula("p of a hedged attempt = p·S(T - H) = %s·%s = %s", digits(o.P[0]), digits(max(o.Hedge.Late, o.P[0])), digits(o.P[0]*max(o.Hedge.Late, o.P[0])))
}

func joined(ratios []float64) string {
	written := make([]string, len(ratios))
	for i, p := range ratios {
		written[i] = digits(p)
	}
	return strings.Join(written, ", ")
}

// budget shows what a retry budget leaves of the retries.
func (e *explanation) budget(o retry.Outcome) {
	if o.Budget == nil {
		return
	}
	without := o
	without.Budget = nil
	s := retry.RetryShare(o)
	e.formula("retry budget b = %s: s = min(1, b/(A - 1)) = min(1, %s/%s) = %s", digits(*o.Budget),
		digits(*o.Budget), digits(retry.Amplification(without)-1), digits(s))
	e.say("That share of the calls that need retries gets them; the others end with their first attempt.")
	e.formula("F = s·F + (1 - s)·q = %s·%s + %s·%s = %s", digits(s), digits(retry.FallbackRatio(without).Total()),
		digits(1-s), digits(o.P[0]+o.E), digits(retry.FallbackRatio(o).Total()))
	e.formula("A = min(A, 1 + b) = min(%s, 1 + %s) = %s", digits(retry.Amplification(without)), digits(*o.Budget), digits(retry.Amplification(o)))
}

func (e *explanation) perDay() {
	f := e.Fallback
	if f.PerDay == nil || e.CallsPerSecond == nil {
		e.say("The rate of calls is not known, so neither are fallbacks a day.")
		return
	}
	if e.AttemptsPerSecond != nil {
		window := e.Assessment.Dependency.Window.Seconds()
		rate := digits(*e.AttemptsPerSecond)
		if near(e.Tail.Counted/window, *e.AttemptsPerSecond) {
			rate = fmt.Sprintf("(%s/%s)", digits(e.Tail.Counted), digits(window))
		}
		e.formula("calls/s = attempts/s ÷ A = %s/%s = %s", rate, digits(e.Amplification.Point), digits(*e.CallsPerSecond))
	}
	e.formula("a day: F·calls/s·86400 = %s·%s·86400 = %s calls", digits(f.Ratio.Point), digits(*e.CallsPerSecond), digits(*f.PerDay))
}

// comparisons sets counters beside what is predicted without them.
func (e *explanation) comparisons() {
	if len(e.Comparisons) == 0 {
		return
	}
	e.say("What counters measured (limits at 99.9%%) beside what is predicted without them, under any rho:")
	for _, c := range e.Comparisons {
		differ := "no contradiction"
		if c.Differs() {
			differ = "they differ"
		}
		e.formula("%s: measured %s, predicted %s: %s", c.What, bracketText(c.Measured), bracketText(c.Predicted), differ)
	}
}

func bracketText(e audit.Estimate) string {
	return fmt.Sprintf("%s (%s to %s)", digits(e.Point), digits(e.Lower), digits(e.Upper))
}
