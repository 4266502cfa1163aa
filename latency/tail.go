package latency

import (
	"math"
	"slices"
)

// TailOptions says what the tail is read for.
type TailOptions struct {
	Timeout   float64   // seconds; 0: there is none
	Recording Recording // as declared; empty is auto

	// Retries says that attempts that time out are retried: values far beyond the
	// timeout do not show a histogram uncensored then, since it may hold whole
	// calls.
	Retries bool

	// Attempts and Timeouts are what counters counted over the window, nil
	// without counters. The Before pair is the window before.
	Attempts, Timeouts             *float64
	BeforeAttempts, BeforeTimeouts *float64

	// UnitScale is the length in seconds of the unit in which the histogram is
	// kept, 0.001 for milliseconds; 0 is 1. Observations were scaled already:
	// this says which mistakes of unit are plausible.
	UnitScale float64

	// Models are those of an earlier reading of the same observation; nil: none.
	Models *Models
}

// Tail is the judgement material on P(X > timeout) for one dependency.
type Tail struct {
	Timeout  float64   // seconds; 0: there is none
	Readings []Reading // nil where there is no timeout, or nothing to read it from

	Point, Lower, Upper float64 // over all readings; of no meaning without one
	Method              string  // of the reading that Point is from

	Status  Status
	Reasons []Reason
	Detail  string   // what the status means here, in sentences; empty when ok
	Notes   []string // for a person: what was taken into account, and no finding
	Blocked bool     // the data contradict themselves, so nothing is decided

	Merged     Histogram // the window's parts added up
	Counted    float64   // values as the server counted them
	Samples    float64   // honest count: Counted shrunk by what increase() stretched
	Scrapes    float64   // samples per series in the window
	Dispersion float64   // largest over the readings

	filled float64 // share of the window's parts from the first that holds anything

	OnBound   bool       // the timeout is a bucket bound
	Fit       *BinnedFit // single lognormal by maximum likelihood; nil without one
	Lognormal *Lognormal // through the server's p50 and p99; nil without them
	Models    *Models    // of Merged; nil where the window holds no histogram
}

// ReadTail reads the tail beyond the timeout. It never fails: what the data do
// not support is a status and a reason (docs/model.md §2, §3 and §8).
func ReadTail(o Observation, opts TailOptions) Tail {
	t := Tail{Timeout: max(opts.Timeout, 0), Dispersion: 1}
	if math.IsNaN(opts.Timeout) || math.IsInf(opts.Timeout, 1) {
		t.Timeout = 0
	}
	d := t.load(o, opts)
	t.Reasons, t.Blocked = d.reasons, d.blocked
	t.Lognormal = t.throughQuantiles(o)
	if t.Timeout > 0 && !t.Blocked {
		t.read(o, opts)
	}
	t.conclude(o, d)
	return t
}

// CompareAt decides whether P(X > at), at in seconds, is above the threshold by
// the counts of the observation that the tail was read from, as they are: as
// Compare does for a histogram in which nothing was cut off.
func (t *Tail) CompareAt(o Observation, at, threshold float64) Verdict {
	if t.Blocked || !(t.Samples > 0) || t.Scrapes < leastScrapes {
		return VerdictUncertain
	}
	r := reader{now: o.Now, before: o.before(), timeout: at}
	return r.counted(RecordingUncensored, possiblyAbove(at)).Compare(threshold)
}

// before is the window before, or nothing where that is no histogram.
func (o Observation) before() Window {
	if o.Before.uniform() != nil || !o.Before.sound() {
		return Window{}
	}
	return o.Before
}

// load adds up the window and looks for what the histogram cannot say.
func (t *Tail) load(o Observation, opts TailOptions) doubts {
	var d doubts
	if !o.Now.sound() {
		d.block(ReasonNonMonotonic, "the buckets are no histogram: a count is negative or not a number, or the bounds are out of order")
		return d
	}
	merged, err := o.Now.Merged()
	if err != nil {
		d.block(ReasonMixedBuckets, "%v: select series that share their buckets", err)
		return d
	}
	t.Merged = merged
	t.Counted = merged.Total()
	t.Samples = t.Counted * o.Now.Honest()
	t.Scrapes = o.Now.TotalScrapes()
	t.filled = o.Now.Filled()
	t.Models = opts.Models
	if t.Models == nil {
		t.Models = ModelsOf(merged)
	}
	if fit := t.Models.Single(); fit != nil {
		own := *fit // its misfit will be judged by this reading's dispersion
		t.Fit = &own
	}
	unit := opts.UnitScale
	if !(unit > 0) {
		unit = 1
	}
	return merged.examine(unit)
}

// read fills in the readings and what they say together.
func (t *Tail) read(o Observation, opts TailOptions) {
	snapped := t.Merged.snap(t.Timeout)
	t.OnBound = slices.ContainsFunc(t.Merged.Bins, func(b Bin) bool { return b.Lower == snapped || b.Upper == snapped })
	r := reader{now: o.Now, before: o.before(), opts: opts, timeout: t.Timeout, merged: t.Merged, honest: o.Now.Honest(), models: t.Models}
	if t.Samples > 0 && opts.Recording != RecordingUncensored {
		d := o.Now.evidence(surelyAbove(t.Timeout), atOrAbove(t.Timeout)).widest()
		r.spike = t.Merged.spikeAt(t.Timeout, d/r.honest)
	}
	t.Readings = r.readings()
	if len(t.Readings) == 0 {
		return
	}
	for _, reading := range t.Readings {
		t.Dispersion = max(t.Dispersion, reading.Now.widest())
	}
	t.unite()
	if t.Fit != nil {
		t.Fit.Misfit = misfit(t.Merged, t.Fit, t.Dispersion/r.honest)
	}
}

// unite takes the bracket over all readings, and the point from one of them:
// from the counters, else from the recorded reading while anything was counted
// beyond the timeout, else from the dropped one, since a tail that ends at the
// timeout was cut off there; with one reading, from that.
func (t *Tail) unite() {
	chosen := t.Readings[0]
	t.Lower, t.Upper = chosen.Lower, chosen.Upper
	_, beyond := t.Merged.CountAbove(t.Timeout)
	for _, r := range t.Readings[1:] {
		t.Lower, t.Upper = min(t.Lower, r.Lower), max(t.Upper, r.Upper)
		if r.Recording == RecordingDropped && beyond == 0 && r.Method != MethodConservative {
			chosen = r
		}
	}
	t.Point, t.Method = chosen.Point, chosen.Method
}

// throughQuantiles returns the lognormal through the server's p50 and p99, or
// through all quantiles where nothing else was asked for. Where p99 is only a
// lower bound it goes through p50 and the highest bound's rank instead.
func (t *Tail) throughQuantiles(o Observation) *Lognormal {
	if o.QuantilesOnly {
		if l, err := FitQuantiles(o.Quantiles...); err == nil {
			return &l
		}
		return nil
	}
	high := QuantilePoint{P: 1 - p99Tail}
	if o.P50 == nil || o.P99 == nil {
		return nil
	}
	high.Seconds = *o.P99
	if slices.Contains(t.Reasons, ReasonTopBucket) {
		bound, _ := t.Merged.Quantile(1)
		high = QuantilePoint{P: 1 - t.Merged.FractionAbove(bound), Seconds: bound}
	}
	l, err := FitQuantiles(QuantilePoint{P: 0.5, Seconds: *o.P50}, high)
	if err != nil {
		return nil
	}
	return &l
}
