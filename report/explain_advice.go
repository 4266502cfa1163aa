package report

// recommendation is section 8.
func (e *explanation) recommendation() {
	e.heading("Recommended timeout (§9)")
	r := e.Recommendation
	switch {
	case !e.Known():
		e.unanswered()
		return
	case r == nil && e.callScope():
		e.say("None: a histogram of whole calls says nothing about single attempts.")
		return
	case r == nil:
		e.say("None: there is no timeout or there are no counts to recommend one from.")
		return
	}
	dep := e.Assessment.Dependency
	if r.Target == nil {
		e.say("No figure is recommended: %s.", r.Why)
		if r.Step != nil {
			e.formula("next step = T · max_step = %s · %s = %s s", digits(e.Limit), digits(dep.MaxStep), digits(*r.Step))
		}
		return
	}
	target := dep.TargetFalseTimeoutRatio
	e.say("Target: %s of attempts may be cut off, so the %s quantile, off the table of 2.", share(target), digits(1-target))
	e.quantileOf(1 - target)
	quantile, _ := e.Tail.Merged.Quantile(1 - target)
	e.formula("with headroom: quantile · (1 + %s) = %s · %s = %s s", digits(dep.Headroom), digits(quantile), digits(1+dep.Headroom), digits(quantile*(1+dep.Headroom)))
	if e.P99 != nil {
		e.formula("T* = max(that, p99) = max(%s, %s) = %s s", digits(quantile*(1+dep.Headroom)), digits(*e.P99), digits(*r.Target))
	} else {
		e.formula("T* = that, for want of a p99 = %s s", digits(*r.Target))
	}
	e.formula("next step = min(max(T*, T/max_step), T·max_step) = min(max(%s, %s/%s), %s·%s) = %s s", digits(*r.Target),
		digits(e.Limit), digits(dep.MaxStep), digits(e.Limit), digits(dep.MaxStep), digits(*r.Step))
}

// findings is section 9, in the words of the report.
func (e *explanation) findings() {
	e.heading("Findings")
	if len(e.Findings) == 0 {
		e.say("None.")
	}
	for _, f := range e.Findings {
		e.say("%s %s: %s%s", f.Severity, f.Rule, printable(f.Message), heldText(f))
		if f.Advice != "" {
			e.formula("do: %s", printable(f.Advice))
		}
	}
	for _, note := range e.Assessment.Notes() {
		e.say("note: %s", printable(note))
	}
}
