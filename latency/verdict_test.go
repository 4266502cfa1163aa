package latency

import (
	"math"
	"testing"
	"time"
)

// above makes a window of n values in the given number of parts, of which the
// given counts lie above 1 s, part by part.
func above(n float64, counts ...float64) Window {
	w := Window{Scrapes: math.Inf(1)}
	each := n / float64(len(counts))
	for _, k := range counts {
		w.Parts = append(w.Parts, binned([]float64{.5, 1, 2}, []float64{each - k, 0, k, 0}))
	}
	return w
}

// evenly spreads k over 12 parts so that their dispersion is 1.
func evenly(k float64) []float64 {
	counts := make([]float64, 12)
	for i := range counts {
		counts[i] = math.Floor(k*float64(i+1)/12) - math.Floor(k*float64(i)/12)
	}
	return counts
}

func judge(now, before Window) (Tail, Verdict) {
	tail := ReadTail(Observation{Now: now, Before: before, Window: time.Hour},
		TailOptions{Timeout: 1, Recording: RecordingUncensored})
	return tail, tail.Compare(0.01)
}

func TestVerdictOnAThousandCalls(t *testing.T) {
	for _, c := range []struct {
		name        string
		now, before float64
		want        Verdict
	}{
		{"27 fire alone", 27, 0, VerdictAbove},
		{"26 do not", 26, 0, VerdictUncertain},
		{"22 and 22 fire", 22, 22, VerdictAbove},
		{"21 and 22 do not", 21, 22, VerdictUncertain},
		{"22 and 21 do not", 22, 21, VerdictUncertain},
		{"5 do not clear", 5, 5, VerdictUncertain},
		{"4 clear", 4, 4, VerdictBelow},
		{"none clears", 0, 0, VerdictBelow},
		{"the window before does not keep from clearing", 4, 500, VerdictBelow},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, got := judge(above(1000, evenly(c.now)...), above(1000, evenly(c.before)...)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestWithoutAWindowBeforeOnlyTheSurestFires(t *testing.T) {
	for k, want := range map[float64]Verdict{26: VerdictUncertain, 27: VerdictAbove} {
		if _, got := judge(above(1000, evenly(k)...), Window{}); got != want {
			t.Errorf("%g above: %s, want %s", k, got, want)
		}
	}
}

func TestThinDataNeitherClearNorFireOnOneEpisode(t *testing.T) {
	for _, c := range []struct {
		name   string
		window Window
		want   Verdict
		status Status
	}{
		{"298 without one above do not clear", above(298, evenly(0)...), VerdictUncertain, StatusThinData},
		{"299 do", above(299, evenly(0)...), VerdictBelow, StatusOK},
		{"12 above in 12 parts fire", above(120, evenly(12)...), VerdictAbove, StatusOK},
		{"9 above in 9 parts do not", above(60, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0), VerdictUncertain, StatusThinData},
		{"12 above in 2 parts do not", above(60, 6, 6), VerdictUncertain, StatusThinData},
	} {
		t.Run(c.name, func(t *testing.T) {
			tail, got := judge(c.window, Window{})
			if got != c.want || tail.Status != c.status {
				t.Errorf("%s and %s, want %s and %s", got, tail.Status, c.want, c.status)
			}
		})
	}
}

func TestEveryThresholdHasItsOwnThinness(t *testing.T) {
	for n, want := range map[float64]Verdict{2994: VerdictUncertain, 2995: VerdictBelow} {
		tail, _ := judge(above(n, evenly(0)...), Window{})
		if got := tail.Compare(0.001); got != want {
			t.Errorf("%g calls: %s on 0.1%%, want %s", n, got, want)
		}
	}
}

func TestABurstWeighsLittle(t *testing.T) {
	for _, c := range []struct {
		name string
		k    []float64
		want Verdict
	}{
		{"60 spread out fire", evenly(60), VerdictAbove},
		{"60 in one part do not", []float64{0, 0, 0, 60, 0, 0, 0, 0, 0, 0, 0, 0}, VerdictUncertain},
		{"60 in two parts do not", []float64{0, 0, 0, 30, 0, 0, 30, 0, 0, 0, 0, 0}, VerdictUncertain},
	} {
		t.Run(c.name, func(t *testing.T) {
			tail, got := judge(above(1200, c.k...), Window{})
			if got != c.want {
				t.Errorf("%s with d = %g, want %s", got, tail.Dispersion, c.want)
			}
			if bursty := tail.Dispersion > 4; bursty != hasReason(tail, ReasonBursty) || bursty == (c.want == VerdictAbove) {
				t.Errorf("d = %g, reasons %v", tail.Dispersion, tail.Reasons)
			}
		})
	}
}

func hasReason(t Tail, reason Reason) bool {
	for _, r := range t.Reasons {
		if r == reason {
			return true
		}
	}
	return false
}

func TestDispersion(t *testing.T) {
	for _, c := range []struct {
		name string
		k, n []float64
		want float64
	}{
		{"nothing", nil, nil, 1},
		{"one part", []float64{5}, []float64{10}, 1},
		{"no hit", []float64{0, 0}, []float64{10, 10}, 1},
		{"all hit", []float64{10, 10}, []float64{10, 10}, 1},
		{"even counts", []float64{2, 2, 2}, []float64{10, 10, 10}, 1},
		// p = 0.5: (5² + 5²)/(10·0.5·0.5)/1
		{"one of two parts", []float64{10, 0}, []float64{10, 10}, 20},
	} {
		if got := dispersion(c.k, c.n); !near(got, c.want, 1e-12) {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

func TestStretchedCountsAreShrunk(t *testing.T) {
	w := above(1000, evenly(27)...)
	w.Scrapes = 5 // (5 − 1)/(5 + 1) of the counts are honest
	tail, verdict := judge(w, Window{})
	if verdict != VerdictUncertain || !near(tail.Samples, 1000*4./6, 1e-12) || !near(tail.Counted, 1000, 1e-12) {
		t.Errorf("%s, %g honest of %g", verdict, tail.Samples, tail.Counted)
	}
}

func TestTooFewScrapesDecideNothing(t *testing.T) {
	for scrapes, want := range map[float64]Status{9.0 / 12: StatusThinData, 4: StatusOK} {
		w := above(120_000, evenly(0)...)
		w.Scrapes = scrapes
		if tail, verdict := judge(w, Window{}); tail.Status != want || (verdict == VerdictUncertain) != (want == StatusThinData) {
			t.Errorf("%g scrapes a part: %s, %s", scrapes, verdict, tail.Status)
		}
	}
}

func TestSufficientWindow(t *testing.T) {
	for _, c := range []struct {
		name      string
		n         float64
		scrapes   float64
		threshold float64
		want      time.Duration
	}{
		{"half the calls", 150, math.Inf(1), 0.01, 2 * time.Hour},
		{"enough for 1% already", 1000, math.Inf(1), 0.01, time.Hour},
		{"0.1% needs ten times as many", 2995, math.Inf(1), 0.0001, 10*time.Hour + time.Minute},
		{"no calls", 0, math.Inf(1), 0.01, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := above(c.n, evenly(0)...)
			w.Scrapes = c.scrapes
			tail, _ := judge(w, Window{})
			if got := tail.SufficientWindow(c.threshold, time.Hour); got < c.want || got > c.want+time.Minute {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	scarce := Tail{Samples: 1e6, Scrapes: 4, Dispersion: 1}
	if got := scarce.SufficientWindow(0.01, time.Hour); got != 150*time.Minute {
		t.Errorf("4 scrapes an hour: %s, want 2h30m", got)
	}
	if got := (Tail{Samples: 1e-9, Scrapes: 60}).SufficientWindow(1e-9, time.Hour); got != 0 {
		t.Errorf("a window of %s for next to no calls", got)
	}
}
