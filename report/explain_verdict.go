package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// What a verdict asks of the counts (docs/model.md §8), restated so that each
// limit can be shown. latency.Reading.Compare decides; a test keeps both equal.
const (
	fireAlone    = 0.99999
	fireTwice    = 0.999
	clearAt      = 0.95
	thinAbove    = 10
	thinParts    = 3
	leastScrapes = 10
)

// verdict is section 6.
func (e *explanation) verdict() {
	e.heading("Verdict against 1%, that is on T < p99 (§8)")
	t := e.Tail
	switch {
	case !e.Known() || t == nil:
		e.unanswered()
		return
	case t.Timeout <= 0:
		e.say("There is no timeout to judge.")
		return
	case t.Blocked:
		e.say("None, since the data contradict themselves (5).")
		return
	case len(t.Readings) == 0:
		e.say("None, for want of counts: %s", printable(e.Detail))
		return
	}
	if t.Scrapes < leastScrapes {
		e.say("The window has %s samples per series and %d are needed, so nothing is decided, whatever the limits say.", digits(t.Scrapes), leastScrapes)
	}
	for _, r := range t.Readings {
		e.conditions(r)
	}
	verdict := t.Compare(p99Tail)
	e.say("%s", e.verdictText(verdict))
	if verdict == latency.VerdictUncertain {
		e.wouldDecide()
	}
	if target := e.Assessment.Dependency.TargetFalseTimeoutRatio; target > 0 {
		e.say("By the same limits p is %s against the target of %s.", sideText(t.Compare(target)), share(target))
	}
	if e.P99 != nil && e.TimeoutP99Ratio != nil {
		e.say("T/p99 = %s/%s = %s, the band %s (§6).", digits(e.Limit), digits(*e.P99), digits(*e.TimeoutP99Ratio), e.Band)
	}
}

func (e *explanation) verdictText(v latency.Verdict) string {
	all := "The reading says"
	if len(e.Tail.Readings) > 1 {
		all = "All readings must say the same. They say"
	}
	switch v {
	case latency.VerdictAbove:
		return all + " above: T lies below p99."
	case latency.VerdictBelow:
		return all + " below: T does not lie below p99."
	}
	return "Not decided: a daemon keeps what it decided last, and this command, which looks at one moment, has nothing to keep."
}

func sideText(v latency.Verdict) string {
	switch v {
	case latency.VerdictAbove:
		return "above"
	case latency.VerdictBelow:
		return "below"
	}
	return "not decided"
}

// conditions compares each limit of a reading with 1%.
func (e *explanation) conditions(r latency.Reading) {
	now := r.Now
	rows := [][]string{
		{fmt.Sprintf("reading %q", r.Recording), "limit", "against 0.01"},
		limitRow("fires alone: lower limit at "+confidence(fireAlone), now.Lower(fireAlone), true),
	}
	if r.Before != nil {
		rows = append(rows,
			limitRow("fires with the window before: lower limits at "+confidence(fireTwice)+", now", now.Lower(fireTwice), true),
			limitRow("   and in the window before", r.Before.Lower(fireTwice), true))
	}
	rows = append(rows, limitRow("clears: upper limit at "+confidence(clearAt), now.Upper(clearAt), false))
	if r.Extrapolated {
		rows = append(rows, limitRow("   and the extrapolation's upper limit at "+confidence(clearAt), r.ClearLimit, false))
	}
	e.table(rows)
	if r.Before == nil {
		e.formula("there is no window before, so this one must be enough")
	} else {
		e.formula("the window before: k = %s of N = %s, d = %s", digits(r.Before.Above), digits(r.Before.Total), digits(max(r.Before.Dispersion, 1)))
	}
	e.thinness(now)
	e.formula("this reading: %s", sideText(r.Compare(p99Tail)))
}

func limitRow(name string, limit float64, lower bool) []string {
	met := "not met"
	if lower && limit > p99Tail || !lower && limit < p99Tail {
		met = "met"
	}
	return []string{name, digits(limit), met}
}

func confidence(c float64) string { return digits(100*c) + "%" }

// thinness says what too few counts rule out.
func (e *explanation) thinness(now latency.Evidence) {
	enough := latency.RuleOfThree(p99Tail, clearAt)
	if now.Total+countSlack >= float64(enough) {
		return
	}
	e.formula("N = %s is below %d = ⌈ln 0.05/ln 0.99⌉, so it cannot clear, and it fires only with %d above T in %d parts: there are %s in %d",
		digits(now.Total), enough, thinAbove, thinParts, digits(now.Above), now.PartsWithAbove)
}

// wouldDecide says what would turn "don't know" into an answer.
func (e *explanation) wouldDecide() {
	t, window := e.Tail, e.Observation.Window
	ways := aboutReadings(t.Readings)
	if bound, ok := t.BoundToAdd(p99Tail); ok {
		ways = append(ways, fmt.Sprintf("a bucket bound at le = %s", figure.Seconds(bound)))
	}
	if sufficient := t.SufficientWindow(p99Tail, window); sufficient > window {
		ways = append(ways, fmt.Sprintf("a window of %s, which at this rate holds enough to rule out 1%%", model.Duration(sufficient)))
	} else if longer, v := decidingWindow(t.Readings, window); longer > 0 {
		ways = append(ways, fmt.Sprintf("a window of %s, if the share above T stays what it is: then it is %s", model.Duration(longer), sideText(v)))
	}
	if len(ways) == 0 {
		ways = append(ways, "no longer window up to 64 times this one: T is too close to p99")
	}
	e.say("What would decide it: %s.", strings.Join(ways, "; or "))
}

// aboutReadings is what to say or to count where it is open what became of
// attempts that were cut off.
func aboutReadings(readings []latency.Reading) []string {
	verdicts, extrapolated := map[latency.Verdict]bool{}, false
	for _, r := range readings {
		verdicts[r.Compare(p99Tail)] = true
		extrapolated = extrapolated || r.Extrapolated
	}
	switch {
	case readings[0].Recording == latency.RecordingMeasured && len(verdicts) > 1:
		return []string{"finding out why the counter and the histogram disagree: is the declared timeout in force, and is the counter of these calls?"}
	case len(readings) > 1:
		return []string{"latency.timeouts, if it says what the client does with attempts it cuts off; or a counter of them under observed.timeouts"}
	case extrapolated:
		return []string{"a counter of the attempts cut off, under observed.timeouts: the histogram has lost them"}
	}
	return nil
}

// decidingWindow returns how long a window would have to be for all readings to
// agree, if shares and dispersion stayed as they are: the length doubled until
// they do. 0: not within 64 times the present one.
func decidingWindow(readings []latency.Reading, window time.Duration) (time.Duration, latency.Verdict) {
	for factor := 2; factor <= 64; factor *= 2 {
		verdicts := map[latency.Verdict]bool{}
		var verdict latency.Verdict
		for _, r := range readings {
			verdict = longer(r, float64(factor)).Compare(p99Tail)
			verdicts[verdict] = true
		}
		if len(verdicts) == 1 && verdict != latency.VerdictUncertain && window <= math.MaxInt64/time.Duration(factor) {
			return window * time.Duration(factor), verdict
		}
	}
	return 0, latency.VerdictUncertain
}

// longer is the reading after so many times more of the same.
func longer(r latency.Reading, factor float64) latency.Reading {
	scale := func(e latency.Evidence) latency.Evidence {
		e.Above, e.Possible, e.Total = e.Above*factor, e.Possible*factor, e.Total*factor
		return e
	}
	r.Now = scale(r.Now)
	if r.Before != nil {
		before := scale(*r.Before)
		r.Before = &before
	}
	return r
}
