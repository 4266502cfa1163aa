package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// tail is section 5.
func (e *explanation) tail() {
	e.heading("The tail beyond T (§2, §3, §4)")
	t := e.Tail
	switch {
	case !e.Known() || t == nil:
		e.unanswered()
		return
	case t.Timeout <= 0:
		e.say("There is no timeout, so nothing is cut off: p = 0. That is a finding (9) and not a good result.")
		return
	case t.Blocked:
		e.say("The data contradict themselves, so nothing is read from them: %s", printable(e.Detail))
		return
	case len(t.Readings) == 0:
		e.say("There are no counts that p could be read from: %s", printable(e.Detail))
		return
	}
	e.whereTimeoutLies()
	e.accounts()
	e.parts()
	for _, r := range t.Readings {
		e.reading(r)
	}
	if len(t.Readings) > 1 {
		e.say("Hard bracket over all readings: %s to %s.", share(t.Lower), share(t.Upper))
	}
	e.headline()
	e.besideLognormal()
}

func (e *explanation) whereTimeoutLies() {
	t := e.Tail
	total := t.Merged.Total()
	if !(total > 0) {
		e.say("The histogram is empty; the counters stand alone.")
		return
	}
	sure, possible := t.Merged.CountAbove(t.Timeout)
	where := "lies in a gap between bins"
	if t.OnBound {
		where = "is a bucket bound"
	} else if i := binAround(t.Merged, t.Timeout); i >= 0 {
		where = "lies inside the bin " + interval(t.Merged.Bins[i])
	}
	e.say("T = %s s %s.", digits(t.Timeout), where)
	e.formula("surely above T: %s of %s, share %s", digits(sure), digits(total), digits(sure/total))
	e.formula("possibly above T, with the bin that holds it: %s of %s, share %s", digits(possible), digits(total), digits(possible/total))
}

// binAround returns the bin inside which t lies, -1 where there is none.
func binAround(h latency.Histogram, t float64) int {
	return slices.IndexFunc(h.Bins, func(b latency.Bin) bool { return b.Lower < t && t < b.Upper })
}

// parts shows the ups and downs that the dispersion is made of.
func (e *explanation) parts() {
	o, t := e.Observation, e.Tail.Timeout
	if len(o.Now.Parts) < 2 {
		e.say("The window is one part, so how counts vary is not known: d = 1.")
		return
	}
	honest := o.Now.Honest()
	rows := [][]string{{"part that ends at", "n", "surely above T", "possibly above T", "at T or above"}}
	for i, part := range o.Now.Parts {
		sure, possible := part.CountAbove(t)
		_, from := part.CountAbove(justBelow(t))
		end := o.At.Add(-o.Window + o.Window*time.Duration(i+1)/time.Duration(len(o.Now.Parts)))
		rows = append(rows, []string{moment(end), digits(part.Total() * honest),
			digits(sure * honest), digits(possible * honest), digits(from * honest)})
	}
	e.say("The parts of the window, counts shrunk as in 2. \"At T or above\" also has the bin that ends at T, which the reading \"recorded\" counts as possibly above.")
	e.table(rows)
	e.formula("dispersion d = max(1, Σ (kᵢ - nᵢ·p̂)²/(nᵢ·p̂·(1 - p̂))/(parts - 1)), p̂ = Σkᵢ/Σnᵢ, over parts that hold anything")
}

// justBelow is shorter than t by more than bounds may differ and still be one.
func justBelow(t float64) float64 { return t * (1 - 1e-8) }

// reading shows one account's counts and hard bracket.
func (e *explanation) reading(r latency.Reading) {
	now := r.Now
	d, dPossible := dispersions(now)
	e.say("Reading %q: k = %s surely above T of N = %s, d = %s; %s possibly, d = %s%s.", r.Recording,
		digits(now.Above), digits(now.Total), digits(d), digits(now.Possible), digits(dPossible), dispersionSource(r))
	k, n := math.Floor(now.Above/d+countSlack), now.Total/d
	e.formula("lower limit at 99.5%%: k/d rounded down is %s, N/d is %s: %s%s", digits(k), digits(n),
		lowerFormula(k, n, sideError), share(now.Lower(1-sideError)))
	k, n = math.Ceil(now.Possible/dPossible-countSlack), now.Total/dPossible
	limit := now.Upper(1 - sideError)
	e.formula("upper limit at 99.5%%: k/d rounded up is %s, N/d is %s: %s%s", digits(k), digits(n),
		upperFormula(k, n, sideError), share(limit))
	if r.Extrapolated && r.Upper > limit {
		e.formula("the extrapolation's own upper limit at 99.5%% is wider: %s", share(r.Upper))
	}
	e.formula("point: %s, %s", share(r.Point), r.Method)
}

const (
	countSlack = 1e-9  // latency's own, in rounding counts that were shrunk
	sideError  = 0.005 // of each side of the hard bracket
)

// dispersions returns d of the sure and of the possible counts.
func dispersions(e latency.Evidence) (sure, possible float64) {
	sure, possible = max(e.Dispersion, 1), max(e.PossibleDispersion, 1)
	if e.PossibleDispersion == 0 {
		possible = sure
	}
	return sure, possible
}

func dispersionSource(r latency.Reading) string {
	switch r.Recording {
	case latency.RecordingMeasured:
		return ", that of the histogram's counts, since a counter has no parts"
	case latency.RecordingDropped:
		return ", at least that of the counts above a bound below T, since bursts show there too"
	}
	return ""
}

// lowerFormula is the Clopper–Pearson lower limit with its numbers filled in,
// none where there is nothing to work out.
func lowerFormula(k, n, oneSide float64) string {
	switch {
	case k <= 0:
		return ""
	case k >= n:
		return fmt.Sprintf("%s^(1/%s) = ", digits(oneSide), digits(n))
	}
	return fmt.Sprintf("the %s quantile of Beta(%s, %s) = ", digits(oneSide), digits(k), digits(n-k+1))
}

func upperFormula(k, n, oneSide float64) string {
	switch {
	case k >= n:
		return ""
	case k <= 0:
		return fmt.Sprintf("1 - %s^(1/%s) = ", digits(oneSide), digits(n))
	}
	return fmt.Sprintf("the %s quantile of Beta(%s, %s) = ", digits(1-oneSide), digits(k+1), digits(n-k))
}

// accounts says which readings are kept, and why.
func (e *explanation) accounts() {
	t := e.Tail
	declared := e.Assessment.Dependency.Latency.Timeouts
	kept := make([]string, len(t.Readings))
	for i, r := range t.Readings {
		kept[i] = string(r.Recording)
	}
	e.say("What became of attempts that were cut off (§3): latency.timeouts is %q, and the readings kept are: %s.",
		orMissing(declared), strings.Join(kept, ", "))
	switch {
	case t.Readings[0].Recording == latency.RecordingMeasured:
		e.measuredAccount()
	case len(t.Readings) == 1 && string(t.Readings[0].Recording) == declared:
		e.say("It is declared, so the histogram is read as that and no other way.")
	default:
		e.autoAccount()
	}
}

func (e *explanation) measuredAccount() {
	o := e.Observation.Observed
	attempts := "the histogram's count stands in for attempts"
	if o.Attempts != nil {
		attempts = "attempts " + digits(*o.Attempts)
	}
	if o.Timeouts != nil {
		e.formula("counted over the window: timeouts %s, %s", digits(*o.Timeouts), attempts)
	}
	if m := e.Tail.Scrapes; !math.IsInf(m, 1) {
		shrunk := latency.Window{Scrapes: m}.Honest()
		e.formula("m = %s samples in the window, so both are shrunk by (m-1)/(m+1) = %s/%s = %s", digits(m), digits(m-1), digits(m+1), digits(shrunk))
	}
	if len(e.Tail.Readings) > 1 {
		e.say("The histogram has significantly more above T than was counted, so both stand: the declared timeout is not the one in force, or the counter is not of these calls.")
		return
	}
	e.say("A counter of timeouts outranks what a histogram can say about them.")
}

// autoAccount shows the test by which a histogram proves uncensored.
func (e *explanation) autoAccount() {
	t := e.Tail
	late := max(1.1*t.Timeout, t.Timeout+0.010)
	far, _ := t.Merged.CountAbove(late)
	_, above := t.Merged.CountAbove(t.Timeout)
	honest := e.Observation.Now.Honest()
	e.formula("later than any late timer, max(1.1·T, T + 10 ms) = max(1.1·%s, %s + 0.01) = %s s: %s values, shrunk %s (10 are needed), of %s possibly above T (5%% are needed)",
		digits(t.Timeout), digits(t.Timeout), digits(late), digits(far), digits(far*honest), digits(above))
	piles := "nothing piles up at T"
	if t.Readings[0].Spike {
		piles = "values pile up at T"
	}
	if len(t.Readings) == 1 && t.Readings[0].Recording == latency.RecordingUncensored {
		e.say("With that, and as %s, the timeout cuts nothing off in this histogram: %q alone.", piles, latency.RecordingUncensored)
		return
	}
	e.say("That does not show the histogram uncensored (%s), so every account stays that the counts do not contradict.", piles)
	if !slices.ContainsFunc(t.Readings, func(r latency.Reading) bool { return r.Recording == latency.RecordingDropped }) {
		e.say("%q is excluded: the histogram has about as much above T as the bins below lead to expect, so next to nothing is missing.", latency.RecordingDropped)
	}
}
