package report

import (
	"fmt"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// recommendation is section 8.
func (e *explanation) recommendation() {
	e.heading("Recommended timeout (§9)")
	e.advice()
	e.tradeoffs()
}

func (e *explanation) advice() {
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
		switch {
		case r.Step != nil && r.Room != nil && *r.Step == r.Room.Seconds:
			e.say("The next step is all that %s leaves an attempt: %s s.", r.Room.By, digits(*r.Step))
		case r.Step != nil:
			e.formula("next step = T · max_step = %s · %s = %s s", digits(e.Limit), digits(dep.MaxStep), digits(*r.Step))
		}
		return
	}
	target := dep.TargetFalseTimeoutRatio
	quantile := *r.Basis
	if r.Past {
		e.say("Target: %s of attempts may be cut off. Basis: %s.", share(target), r.Why)
		e.past()
	} else {
		e.say("Target: %s of attempts may be cut off, so the %s quantile, by the lognormal through the two bounds around it, as in 5.",
			share(target), digits(1-target))
		e.localQuantile(target, quantile)
	}
	e.formula("with headroom: quantile · (1 + %s) = %s · %s = %s s", digits(dep.Headroom), digits(quantile), digits(1+dep.Headroom), digits(quantile*(1+dep.Headroom)))
	e.clip(quantile * (1 + dep.Headroom))
	e.formula("next step = min(max(T*, T/max_step), T·max_step) = min(max(%s, %s/%s), %s·%s) = %s s", digits(*r.Target),
		digits(e.Limit), digits(dep.MaxStep), digits(e.Limit), digits(dep.MaxStep), digits(*r.Step))
}

// clip shows what p99 and the callers make of the wish.
func (e *explanation) clip(wish float64) {
	r := e.Recommendation
	within, filled := "that", digits(wish)
	if r.Room != nil {
		room := digits(max(r.Room.Seconds, 0))
		e.say("An attempt has room for %s s: %s leaves no more.", room, r.Room.By)
		within, filled = "min(that, room)", fmt.Sprintf("min(%s, %s)", filled, room)
	}
	if e.P99 == nil {
		e.formula("T* = %s, for want of a p99 = %s = %s s", within, filled, digits(*r.Target))
		return
	}
	e.formula("T* = max(%s, p99) = max(%s, %s) = %s s", within, filled, digits(*e.P99), digits(*r.Target))
	if r.Lever != "" {
		e.say("Not even p99 fits, so what has to change is not the timeout: %s.", r.Lever)
	}
}

// localQuantile shows that the local probit line meets the target at the
// quantile: z is linear in ln t between the bounds around it (§4).
func (e *explanation) localQuantile(target, quantile float64) {
	bins := e.Tail.Merged.Bins
	i := slices.IndexFunc(bins, func(b latency.Bin) bool { return quantile > b.Lower && quantile <= b.Upper })
	if i < 0 || bins[i].Lower <= 0 {
		return
	}
	low, high := bins[i].Lower, bins[i].Upper
	above := func(t float64) float64 { sure, _ := e.Tail.Merged.CountAbove(t); return sure / e.Tail.Counted }
	if above(high) <= 0 || above(low) >= 1 {
		return
	}
	zLow, zHigh, z := latency.NormalSurvivalQuantile(above(low)), latency.NormalSurvivalQuantile(above(high)), latency.NormalSurvivalQuantile(target)
	e.say("Bounds %s s and %s s have %s and %s above, that is z = %s and %s; the target is z = %s.",
		digits(low), digits(high), share(above(low)), share(above(high)), digits(zLow), digits(zHigh), digits(z))
	e.formula("quantile = %s · (%s/%s)^((%s - %s)/(%s - %s)) = %s s",
		digits(low), digits(high), digits(low), digits(z), digits(zLow), digits(zHigh), digits(zLow), digits(quantile))
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
