package latency

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// snapshot is an observation of one histogram in twelve equal parts, read at
// its source, so that no count is shrunk.
func snapshot(h Histogram) Observation {
	o := Observation{Window: time.Hour, Now: Window{Scrapes: math.Inf(1)}}
	for range 12 {
		part := Histogram{Scheme: h.Scheme, Bins: slices.Clone(h.Bins)}
		for i := range part.Bins {
			part.Bins[i].Count /= 12
		}
		if h.Sum != nil {
			sum := *h.Sum / 12
			part.Sum = &sum
		}
		o.Now.Parts = append(o.Now.Parts, part)
	}
	o.Before = o.Now
	return o
}

func withSum(h Histogram, sum float64) Histogram {
	h.Sum = &sum
	return h
}

func ptr(v float64) *float64 { return &v }

// All calls take 220 ms and fall into the bucket from 200 to 300 ms.
func TestTimeoutInsideAWideBucketIsUncertain(t *testing.T) {
	o := snapshot(withSum(binned([]float64{.1, .2, .3, .5}, []float64{0, 0, 10_000, 0, 0}), 2200))
	for _, c := range []struct {
		timeout float64
		want    Verdict
	}{{.25, VerdictUncertain}, {.3, VerdictBelow}, {.2, VerdictAbove}} {
		tail := ReadTail(o, TailOptions{Timeout: c.timeout, Recording: RecordingUncensored})
		if got := tail.Compare(0.01); got != c.want {
			t.Errorf("timeout %g: %s, want %s", c.timeout, got, c.want)
		}
		bound, advised := tail.BoundToAdd(0.01)
		if advised != (c.timeout == .25) || advised && (bound != .25 || !strings.Contains(tail.Detail, "add a bucket at le = 250 ms")) {
			t.Errorf("timeout %g: bound to add %g, %v; %s", c.timeout, bound, advised, tail.Detail)
		}
	}
}

// Where it is not known what became of attempts cut off at 300 ms, all those
// in the bucket that ends there may be such, rounded.
func TestTimeoutOnAFullBucketsBoundClearsOnlyIfNothingWasCutOff(t *testing.T) {
	o := snapshot(binned([]float64{.1, .2, .3, .5}, []float64{0, 0, 10_000, 0, 0}))
	tail := ReadTail(o, TailOptions{Timeout: .3})
	if got := tail.Compare(0.01); got != VerdictUncertain || !hasReason(tail, ReasonCensored) {
		t.Errorf("%s, %v; want uncertain and censored", got, tail.Reasons)
	}
}

// 8% of all calls exceed the highest bound, 10 s, and p50 is 2 s.
func TestTimeoutOnTheHighestBoundIsMeasured(t *testing.T) {
	o := snapshot(binned([]float64{1, 2, 5, 10}, []float64{1000, 1500, 1500, 600, 400}))
	o.P50, o.P99 = ptr(2), ptr(10)
	for _, recording := range []Recording{RecordingAuto, RecordingRecorded, RecordingUncensored, ""} {
		tail := ReadTail(o, TailOptions{Timeout: 10, Recording: recording})
		if tail.Compare(0.01) != VerdictAbove || !near(tail.Point, .08, 1e-9) || tail.Status != StatusOK {
			t.Errorf("%s: %s, p = %g, %s; want above, 8%%, ok", recording, tail.Compare(0.01), tail.Point, tail.Status)
		}
		if diff := cmp.Diff([]Reason{ReasonTopBucket}, tail.Reasons); diff != "" {
			t.Errorf("%s: reasons %s", recording, diff)
		}
		if l := tail.Lognormal; l == nil || math.Abs(l.Sigma-1.145) > 5e-4 || math.Abs(l.Quantile(0.01)-28.7) > 0.05 {
			t.Errorf("%s: lognormal %v, want sigma 1.145 and p99 28.7 s", recording, l)
		}
	}
}

func TestSecondsInMillisecondBucketsGiveNoVerdict(t *testing.T) {
	ms := binned([]float64{5, 10, 25, 10_000}, []float64{6, 0, 0, 0, 0})
	scaled := binned([]float64{.005, .010, .025, 10}, []float64{6000, 0, 0, 0, 0})
	for _, c := range []struct {
		name   string
		o      Observation
		opts   TailOptions
		status Status
	}{
		{"named in seconds, as reported", snapshot(withSum(ms, 1.7878)), TailOptions{Timeout: 20}, StatusThinData},
		{"named in milliseconds", snapshot(withSum(scaled, 1.7878)), TailOptions{Timeout: .1, UnitScale: .001}, StatusUncertain},
	} {
		tail := ReadTail(c.o, c.opts)
		if tail.Compare(0.01) != VerdictUncertain || len(tail.Readings) != 0 || tail.Status != c.status {
			t.Errorf("%s: %s, %d readings, %s", c.name, tail.Compare(0.01), len(tail.Readings), tail.Status)
		}
		if diff := cmp.Diff([]Reason{ReasonFirstBucket, ReasonUnitMismatch}, tail.Reasons); diff != "" {
			t.Errorf("%s: reasons %s", c.name, diff)
		}
		if !strings.Contains(tail.Detail, "were seconds observed into millisecond buckets?") {
			t.Errorf("%s: %s", c.name, tail.Detail)
		}
	}
}

// A cache that answers in 0.3 ms, in buckets of seconds whose first ends at
// 5 ms, is no mistake: the first bucket resolves nothing, and 100 ms is plenty.
func TestFastServiceInTheFirstBucketClears(t *testing.T) {
	o := snapshot(withSum(binned(layoutDefault, []float64{10_000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), 3))
	tail := ReadTail(o, TailOptions{Timeout: .1})
	if tail.Compare(0.01) != VerdictBelow || tail.Status != StatusOK || !hasReason(tail, ReasonFirstBucket) {
		t.Errorf("%s, %s, %v; %+v", tail.Compare(0.01), tail.Status, tail.Reasons, tail.Readings)
	}
}

func TestMeanOutsideTheBucketsGivesNoVerdict(t *testing.T) {
	for name, h := range map[string]Histogram{
		"mean far below":             withSum(binned([]float64{.1, .2, .5}, []float64{0, 0, 10_000, 0}), 1),
		"mean far above":             withSum(binned([]float64{.1, .2, .5}, []float64{0, 0, 10_000, 0}), 1e6),
		"milliseconds as seconds":    withSum(binned([]float64{.1, 1, 10}, []float64{0, 0, 0, 10_000}), 3e6),
		"negative sum, not possible": withSum(binned([]float64{.1, .2, .5}, []float64{0, 0, 10_000, 0}), -5),
	} {
		tail := ReadTail(snapshot(h), TailOptions{Timeout: .1})
		if tail.Compare(0.01) != VerdictUncertain || !hasReason(tail, ReasonUnitMismatch) || tail.Status != StatusUncertain {
			t.Errorf("%s: %s, %v", name, tail.Compare(0.01), tail.Reasons)
		}
	}
}

func TestBrokenWindowsGiveNoVerdict(t *testing.T) {
	sound := binned([]float64{.5, 1, 2}, []float64{0, 0, 1000, 0})
	twoLayouts := snapshot(sound)
	twoLayouts.Now.Parts[3] = binned([]float64{.5, 1, 3}, []float64{0, 0, 100, 0})
	broken := func(b Bin) Observation {
		o := snapshot(sound)
		o.Now.Parts[5].Bins[1] = b
		return o
	}
	for name, c := range map[string]struct {
		o    Observation
		want Reason
	}{
		"a negative count":     {broken(Bin{.5, 1, -1}), ReasonNonMonotonic},
		"a NaN count":          {broken(Bin{.5, 1, math.NaN()}), ReasonNonMonotonic},
		"an infinite count":    {broken(Bin{.5, 1, math.Inf(1)}), ReasonNonMonotonic},
		"bounds out of order":  {broken(Bin{1, .5, 1}), ReasonNonMonotonic},
		"overlapping bins":     {broken(Bin{.4, 1, 1}), ReasonNonMonotonic},
		"a NaN bound":          {broken(Bin{math.NaN(), 1, 1}), ReasonNonMonotonic},
		"bounds that change":   {twoLayouts, ReasonMixedBuckets},
		"counts that overflow": {broken(Bin{.5, 1, math.MaxFloat64}), ""},
	} {
		tail := ReadTail(c.o, TailOptions{Timeout: 1})
		if c.want == "" {
			if math.IsNaN(tail.Point) {
				t.Errorf("%s: NaN", name)
			}
			continue
		}
		if tail.Compare(0.01) != VerdictUncertain || !tail.Blocked || tail.Status.Known() == false {
			t.Errorf("%s: %s, %s", name, tail.Compare(0.01), tail.Status)
		}
		if diff := cmp.Diff([]Reason{c.want}, tail.Reasons); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestABrokenWindowBeforeIsLeftOut(t *testing.T) {
	o := snapshot(binned([]float64{.5, 1, 2}, []float64{978, 0, 22, 0}))
	if ReadTail(o, TailOptions{Timeout: 1}).Compare(0.01) != VerdictAbove {
		t.Fatal("22 and 22 of 1000 should fire")
	}
	o.Before = Window{Scrapes: o.Now.Scrapes, Parts: slices.Clone(o.Now.Parts)}
	o.Before.Parts[0] = Histogram{Scheme: Classic, Bins: []Bin{{1, .5, 3}}}
	if tail := ReadTail(o, TailOptions{Timeout: 1}); tail.Compare(0.01) != VerdictUncertain || tail.Readings[0].Before != nil {
		t.Error("a broken window before still counted")
	}
}

func TestStatusWithoutCounts(t *testing.T) {
	zero := snapshot(binned([]float64{1, 2}, []float64{0, 0, 0}))
	for name, c := range map[string]struct {
		o       Observation
		opts    TailOptions
		status  Status
		reasons []Reason
	}{
		"nothing at all":      {Observation{}, TailOptions{Timeout: 1}, StatusNoData, nil},
		"parts without bins":  {Observation{Now: Window{Parts: make([]Histogram, 3)}}, TailOptions{Timeout: 1}, StatusNoData, nil},
		"quantiles only":      {Observation{P50: ptr(.1), P99: ptr(.5)}, TailOptions{Timeout: 1}, StatusUncertain, []Reason{ReasonQuantilesOnly}},
		"no call in an hour":  {zero, TailOptions{Timeout: 1}, StatusNoData, nil},
		"no timeout, no call": {zero, TailOptions{}, StatusNoData, nil},
	} {
		tail := ReadTail(c.o, c.opts)
		if tail.Status != c.status || tail.Detail == "" || len(tail.Readings) != 0 || tail.Compare(0.01) != VerdictUncertain {
			t.Errorf("%s: %s %q, %d readings", name, tail.Status, tail.Detail, len(tail.Readings))
		}
		if diff := cmp.Diff(c.reasons, tail.Reasons); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestWithoutATimeoutThereIsNothingToRead(t *testing.T) {
	o := snapshot(binned([]float64{.5, 1}, []float64{900, 90, 10}))
	for _, timeout := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		tail := ReadTail(o, TailOptions{Timeout: timeout})
		if tail.Status != StatusOK || len(tail.Readings) != 0 || tail.Timeout != 0 || tail.Samples != 1000 {
			t.Errorf("timeout %g: %+v", timeout, tail)
		}
		if _, advised := tail.BoundToAdd(0.01); advised {
			t.Errorf("timeout %g: a bound to add", timeout)
		}
	}
}

func TestCountersDecide(t *testing.T) {
	o := snapshot(binned([]float64{.5, 1, 2}, []float64{9000, 1000, 0, 0}))
	for _, c := range []struct {
		name     string
		opts     TailOptions
		want     Verdict
		point    float64
		readings int
	}{
		{"many timeouts", TailOptions{Attempts: ptr(10_500), Timeouts: ptr(500)}, VerdictAbove, 500. / 10_500, 1},
		{"few timeouts", TailOptions{Attempts: ptr(10_000), Timeouts: ptr(10)}, VerdictBelow, .001, 1},
		{"dropped, attempts not counted", TailOptions{Timeouts: ptr(500)}, VerdictAbove, 500. / 10_500, 1},
		{"recorded, attempts not counted", TailOptions{Timeouts: ptr(500), Recording: RecordingRecorded}, VerdictAbove, .05, 1},
		{"more timeouts than attempts is no count", TailOptions{Attempts: ptr(100), Timeouts: ptr(500)}, VerdictUncertain, 0, 3},
		{"a NaN counter is no count", TailOptions{Attempts: ptr(10_000), Timeouts: ptr(math.NaN())}, VerdictUncertain, 0, 3},
		{"attempts alone are no count", TailOptions{Attempts: ptr(10_000)}, VerdictUncertain, 0, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.opts.Timeout = 1
			tail := ReadTail(o, c.opts)
			if got := tail.Compare(0.01); got != c.want || len(tail.Readings) != c.readings {
				t.Errorf("%s with %d readings, want %s with %d: %+v", got, len(tail.Readings), c.want, c.readings, tail.Readings)
			}
			if c.readings == 1 && (!near(tail.Point, c.point, 1e-9) || tail.Method != MethodMeasured) {
				t.Errorf("p = %g (%s), want %g", tail.Point, tail.Method, c.point)
			}
		})
	}
}

// A dependency is down, every attempt is cut off, and the client drops those.
func TestCountersDecideWhereTheHistogramIsEmpty(t *testing.T) {
	o := snapshot(binned([]float64{.5, 1, 2}, []float64{0, 0, 0, 0}))
	tail := ReadTail(o, TailOptions{Timeout: 1, Attempts: ptr(5000), Timeouts: ptr(5000)})
	if tail.Compare(0.01) != VerdictAbove || tail.Status != StatusOK || tail.Point != 1 {
		t.Errorf("%s, %s, p = %g", tail.Compare(0.01), tail.Status, tail.Point)
	}
}

func TestCountersWithoutScrapesDecideNothing(t *testing.T) {
	o := Observation{Window: time.Hour, QuantilesOnly: true, Quantiles: []QuantilePoint{{.5, .18}, {.9, .4}, {.99, 1.4}}}
	tail := ReadTail(o, TailOptions{Timeout: 1, Attempts: ptr(5000), Timeouts: ptr(500)})
	if len(tail.Readings) != 0 || tail.Status != StatusUncertain || !hasReason(tail, ReasonQuantilesOnly) {
		t.Errorf("%+v", tail)
	}
	if want, _ := FitQuantiles(o.Quantiles...); tail.Lognormal == nil || *tail.Lognormal != want {
		t.Errorf("lognormal %v, want %v", tail.Lognormal, want)
	}
	checkTail(t, tail)
}

// The bin that holds the timeout bursts, and what lies beyond it does not.
func TestABurstBelowTheTimeoutDoesNotWeakenWhatIsSurelyAbove(t *testing.T) {
	w := Window{Scrapes: math.Inf(1)}
	for i := range 12 {
		busy := 10.0
		if i == 3 {
			busy = 600
		}
		w.Parts = append(w.Parts, binned([]float64{.5, 1, 2}, []float64{900 - busy, busy, 0, 40}))
	}
	tail := ReadTail(Observation{Window: time.Hour, Now: w}, TailOptions{Timeout: .7, Recording: RecordingUncensored})
	if tail.Compare(0.01) != VerdictAbove {
		t.Errorf("%s: %+v", tail.Compare(0.01), tail.Readings)
	}
}

func TestCountersOfTwoWindowsFireTogether(t *testing.T) {
	o := snapshot(binned([]float64{.5, 1, 2}, []float64{978, 0, 0, 0}))
	opts := TailOptions{Timeout: 1, Attempts: ptr(1000), Timeouts: ptr(22)}
	if got := ReadTail(o, opts).Compare(0.01); got != VerdictUncertain {
		t.Errorf("22 in one window: %s", got)
	}
	opts.BeforeAttempts, opts.BeforeTimeouts = ptr(1000), ptr(22)
	if got := ReadTail(o, opts).Compare(0.01); got != VerdictAbove {
		t.Errorf("22 and 22: %s", got)
	}
}

// 5% of the histogram lie above the declared timeout and the counter has none:
// the timeout in force is another one, or the counter is of other calls.
func TestACounterThatTheHistogramContradictsDecidesNothing(t *testing.T) {
	o := snapshot(binned([]float64{.5, 1, 2}, []float64{9000, 500, 500, 0}))
	tail := ReadTail(o, TailOptions{Timeout: 1, Attempts: ptr(10_000), Timeouts: ptr(0)})
	if got := tail.Compare(0.01); got != VerdictUncertain || len(tail.Readings) != 2 {
		t.Errorf("%s with %d readings", got, len(tail.Readings))
	}
}

func TestNativeHistogramWithManyBins(t *testing.T) {
	h := Histogram{Scheme: Exponential}
	l := Lognormal{Mu: math.Log(.1), Sigma: .8}
	for i := range 500 {
		lower, upper := math.Exp2(float64(i-250)/32), math.Exp2(float64(i-249)/32)
		h.Bins = append(h.Bins, Bin{lower, upper, math.Round(1e6 * (l.Survival(lower) - l.Survival(upper)))})
	}
	h.Bins = slices.DeleteFunc(h.Bins, func(b Bin) bool { return b.Count == 0 })
	for timeout, want := range map[float64]Verdict{.3: VerdictAbove, 1.2: VerdictBelow} {
		tail := ReadTail(snapshot(h), TailOptions{Timeout: timeout})
		if got := tail.Compare(0.01); got != want || !near(tail.Point, l.Survival(timeout), .05) {
			t.Errorf("timeout %g: %s, p = %g; want %s, %g", timeout, got, tail.Point, want, l.Survival(timeout))
		}
		if _, advised := tail.BoundToAdd(0.01); advised {
			t.Error("a bucket bound advised to a native histogram")
		}
	}
}

// The hard bracket promises 99%: 0.5% outside on either side. Fixed seeds; a
// bracket that leaves out the bin that holds the timeout, or limits at 95%,
// would fall below 98%.
func TestBracketHoldsTheTruth(t *testing.T) {
	held, runs := 0, 0
	for _, s := range []shape{lognormal(.2, .3), lognormal(.05, 1.5), uniform(.1, .5),
		twoModes(lognormal(.002, .4), lognormal(.04, .6), .1), twoModes(lognormal(.05, .5), lognormal(.8, .3), .05)} {
		for _, bounds := range [][]float64{layoutDefault, layoutOTel, layoutEnvoy, layoutLog20} {
			for _, p := range []float64{.3, .03, .01, .002} {
				r := rand.New(rand.NewPCG(21, uint64(1e6*p)))
				timeout := s.at(p)
				for _, recording := range []Recording{RecordingAuto, RecordingUncensored} {
					for range 8 {
						e := experiment{bounds: bounds, shape: s, cut: cutNothing, timeout: timeout, n: 1000}
						tail := ReadTail(e.observe(r), TailOptions{Timeout: timeout, Recording: recording})
						runs++
						held += btoi(tail.Lower <= p && p <= tail.Upper)
						if tail.Point < tail.Lower || tail.Point > tail.Upper {
							t.Fatalf("point %g outside [%g, %g]", tail.Point, tail.Lower, tail.Upper)
						}
					}
				}
			}
		}
	}
	if share := float64(held) / float64(runs); share < .98 {
		t.Errorf("the bracket holds the truth in %.2f%% of %d windows, want 98%%", 100*share, runs)
	}
}

func TestDetailSaysWhatToDo(t *testing.T) {
	thin := ReadTail(snapshot(binned([]float64{.5, 1}, []float64{90, 9, 1})), TailOptions{Timeout: 1})
	censored := ReadTail(snapshot(binned([]float64{.5, 1}, []float64{900, 100, 0})), TailOptions{Timeout: 1})
	closeCall := ReadTail(snapshot(binned([]float64{.5, 1}, []float64{900, 90, 10})), TailOptions{Timeout: 1, Recording: RecordingUncensored})
	for _, c := range []struct {
		name   string
		tail   Tail
		status Status
		want   string
	}{
		{"thin", thin, StatusThinData, "a window of 3h would hold enough"},
		{"censored", censored, StatusUncertain, "say which under latency.timeouts"},
		{"close", closeCall, StatusUncertain, "the counts do not say on which side of 1%"},
	} {
		if c.tail.Status != c.status || !strings.Contains(c.tail.Detail, c.want) {
			t.Errorf("%s: %s: %s", c.name, c.tail.Status, c.tail.Detail)
		}
	}
	if ok := ReadTail(snapshot(binned([]float64{.5, 1}, []float64{1000, 0, 0})), TailOptions{Timeout: 10}); ok.Status != StatusOK || ok.Detail != "" || len(ok.Notes) == 0 {
		t.Errorf("ok: %s %q %v", ok.Status, ok.Detail, ok.Notes)
	}
}

func TestWholeMinutes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Minute: "1m", 30 * time.Minute: "30m", time.Hour: "1h", 70 * time.Minute: "1h10m", 10 * time.Hour: "10h", 75 * time.Hour: "75h",
	} {
		if got := wholeMinutes(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func FuzzReadTail(f *testing.F) {
	f.Add([]byte{4, 1, 2, 3, 4, 5}, 1.0, 5.0, 0.3, "auto", 3.0)
	f.Add([]byte{0}, 0.0, 0.0, math.NaN(), "recorded", -1.0)
	f.Add([]byte{255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 1e15, math.Inf(1), 2.5, "dropped", 1e9)
	f.Add([]byte{0, 0, 200, 0, 0, 0, 9, 0, 0, 0, 0, 1}, 1e-9, 60.0, 1e-300, "uncensored", 0.0)
	f.Add([]byte{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, 0.37, 12.0, 0.25, "", 1.7)
	f.Fuzz(func(t *testing.T, counts []byte, scale, scrapes, timeout float64, recording string, timeouts float64) {
		cumulative := make([]float64, len(layoutDefault)+1)
		sum := 0.0
		for i := range cumulative {
			if i < len(counts) {
				sum += float64(counts[i]) * scale
			}
			cumulative[i] = sum
		}
		h, err := FromCumulative(layoutDefault, cumulative)
		if err != nil {
			return
		}
		h.Sum = &timeouts
		o := snapshot(h)
		o.Now.Scrapes, o.P50, o.P99 = scrapes, &timeouts, &timeout
		tail := ReadTail(o, TailOptions{Timeout: timeout, Recording: Recording(recording), Timeouts: &timeouts})
		checkTail(t, tail)
		checkTail(t, ReadTail(o, TailOptions{Timeout: timeout, Recording: Recording(recording)}))
	})
}

// checkTail checks what holds for every tail.
func checkTail(t *testing.T, tail Tail) {
	t.Helper()
	if text := fmt.Sprintf("%+v", tail); strings.Contains(text, "NaN") {
		t.Fatalf("NaN in %s", text)
	}
	if !slices.Contains(Statuses(), tail.Status) {
		t.Fatalf("status %q", tail.Status)
	}
	if !(0 <= tail.Lower && tail.Lower <= tail.Point && tail.Point <= tail.Upper && tail.Upper <= 1) {
		t.Fatalf("point %g in [%g, %g]", tail.Point, tail.Lower, tail.Upper)
	}
	for _, r := range tail.Readings {
		if !(tail.Lower <= r.Lower && r.Lower <= r.Point && r.Point <= r.Upper && r.Upper <= tail.Upper) {
			t.Fatalf("reading %+v outside [%g, %g]", r, tail.Lower, tail.Upper)
		}
		if r.Method == "" || r.Now.Dispersion < 1 {
			t.Fatalf("reading %+v", r)
		}
	}
	if decided := tail.Compare(p99Tail) != VerdictUncertain; decided && tail.Status != StatusOK {
		t.Fatalf("%s although decided", tail.Status)
	}
	if tail.Status != StatusOK && tail.Detail == "" {
		t.Fatalf("%s without a detail", tail.Status)
	}
}
