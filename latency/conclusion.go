package latency

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

const burstyFrom = 4 // dispersion from which on it is said

// conclude states the status, judged by whether the counts decide on 1%, that
// is on whether the timeout is below p99, and says what it means.
func (t *Tail) conclude(o Observation, d doubts) {
	verdict := t.Compare(p99Tail)
	if t.Dispersion > burstyFrom {
		d.add(ReasonBursty, "counts vary %.1f times more than independent calls would, so they weigh that much less", t.Dispersion)
	}
	switch {
	case len(t.Merged.Bins) == 0 && !t.Blocked:
		t.withoutCounts(o, &d)
	case t.Counted == 0 && len(t.Readings) == 0 && !t.Blocked:
		t.Status = StatusNoData
		d.details = append(d.details, "no calls in the window: nothing is known about them")
	case verdict != VerdictUncertain:
		t.Status = StatusOK
		if len(t.Readings) > 1 {
			d.details = append(d.details, fmt.Sprintf("whatever became of attempts cut off, the verdict is the same (%s)", t.recordings()))
		}
	case t.attempts()+countSlack < t.enough() || t.Scrapes < leastScrapes:
		t.Status = StatusThinData
		d.details = append(d.details, t.thinDetail(o.Window))
	case t.Timeout == 0 && !t.Blocked:
		t.Status = StatusOK
	default:
		t.Status = StatusUncertain
		if !t.Blocked {
			t.explainUncertain(&d)
		}
	}
	t.Reasons = d.reasons
	if t.Status == StatusOK {
		t.Notes = d.details
	} else {
		t.Detail = sentences(d.details)
	}
}

// attempts returns the honest count that the verdict rests on.
func (t *Tail) attempts() float64 {
	most := t.Samples
	for _, r := range t.Readings {
		most = max(most, r.Now.Total)
	}
	return most
}

func (t *Tail) enough() float64 { return float64(RuleOfThree(p99Tail, clearAt)) }

// withoutCounts concludes where no bucket was answered.
func (t *Tail) withoutCounts(o Observation, d *doubts) {
	t.Status = StatusNoData
	if o.P50 != nil || o.P99 != nil || len(o.Quantiles) > 0 {
		t.Status = StatusUncertain
		d.add(ReasonQuantilesOnly, "only quantiles are known, and no counts that could decide a verdict")
		return
	}
	d.details = append(d.details, "the query was answered without a single bucket")
}

func (t *Tail) thinDetail(window time.Duration) string {
	said := fmt.Sprintf("%.0f calls and %.0f scrapes in the window; a verdict on p99 needs %.0f and %d",
		math.Floor(t.attempts()+countSlack), math.Floor(t.Scrapes), t.enough(), leastScrapes)
	if filled := t.filled; filled < 1 && t.Samples/filled >= t.enough() && t.Scrapes >= leastScrapes {
		said += ": the window is still filling, and will hold enough"
	} else if sufficient := t.SufficientWindow(p99Tail, window); sufficient > 0 {
		said += fmt.Sprintf(": a window of %s would hold enough", wholeMinutes(sufficient))
	}
	return said
}

// explainUncertain says what keeps sound data from deciding.
func (t *Tail) explainUncertain(d *doubts) {
	if t.mayBeCensored() {
		advice := "count them under observed.timeouts"
		if len(t.Readings) > 1 {
			advice = "say which under latency.timeouts, or " + advice
		}
		d.add(ReasonCensored, "attempts cut off at the timeout may be missing from the histogram or recorded at it (%s): %s", t.recordings(), advice)
	}
	if bound, ok := t.BoundToAdd(p99Tail); ok {
		n := t.Merged.around(t.Timeout)
		sure, possible := t.Merged.CountAbove(t.Timeout)
		d.details = append(d.details, fmt.Sprintf("the timeout lies between the bucket bounds %s and %s, so between %.3g%% and %.3g%% of attempts take longer: add a bucket at le = %s",
			seconds(max(n.lower, 0)), seconds(n.upper), 100*sure/t.Counted, 100*possible/t.Counted, seconds(bound)))
		return
	}
	d.details = append(d.details, fmt.Sprintf("between %.3g%% and %.3g%% of attempts take longer than the timeout: the counts do not say on which side of 1%%", 100*t.Lower, 100*t.Upper))
}

// mayBeCensored reports whether it matters to the verdict what became of
// attempts cut off: the readings disagree, values pile up at the timeout, or the
// bins below lead to expect more than 1% beyond it.
func (t *Tail) mayBeCensored() bool {
	for _, r := range t.Readings {
		switch r.Recording {
		case RecordingMeasured:
			return false
		case RecordingRecorded, RecordingDropped:
			if r.Spike || r.Point > p99Tail || r.Compare(p99Tail) != t.Readings[len(t.Readings)-1].Compare(p99Tail) {
				return true
			}
		}
	}
	return false
}

// recordings lists the readings in a sentence.
func (t *Tail) recordings() string {
	names := make([]string, len(t.Readings))
	for i, r := range t.Readings {
		names[i] = fmt.Sprintf("%s: %.3g%%", r.Recording, 100*r.Point)
	}
	return strings.Join(names, ", ")
}

// SufficientWindow returns the window that would hold enough calls and scrapes
// to rule the threshold out, at the rate at which this window has them: what to
// set when data are thin. It is 0 when nothing was counted.
func (t Tail) SufficientWindow(threshold float64, window time.Duration) time.Duration {
	if !(t.Samples > 0) || !(t.Scrapes > 0) || window <= 0 {
		return 0
	}
	calls := float64(RuleOfThree(threshold, clearAt)) * max(t.Dispersion, 1) / t.Samples
	scrapes := leastScrapes / t.Scrapes
	minutes := math.Ceil(window.Minutes() * max(calls, scrapes, 1))
	if minutes > math.MaxInt64/float64(2*time.Minute) {
		return 0
	}
	return time.Duration(minutes) * time.Minute
}

// BoundToAdd returns the bucket bound in seconds that would let the counts
// decide: the timeout, where it lies inside a bin that leaves the verdict on
// the threshold open. Native histograms cannot be given a bound.
func (t Tail) BoundToAdd(threshold float64) (seconds float64, ok bool) {
	if t.Merged.Scheme == Exponential || t.Blocked || t.Timeout == 0 || t.OnBound || t.Compare(threshold) != VerdictUncertain {
		return 0, false
	}
	sure, possible := t.Merged.CountAbove(t.Timeout)
	return t.Timeout, possible > sure
}

// wholeMinutes writes a duration as Prometheus does, without zero units.
func wholeMinutes(d time.Duration) string {
	text := strings.TrimSuffix(d.String(), "0s")
	if d >= time.Hour && d%time.Hour == 0 {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// seconds writes a time for people.
func seconds(s float64) string {
	if s < 1 {
		return fmt.Sprintf("%.4g ms", s*1000)
	}
	return fmt.Sprintf("%.4g s", s)
}

func sentences(parts []string) string {
	parts = slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" })
	return strings.Join(parts, "; ")
}
