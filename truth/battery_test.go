package main

import (
	"math"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

func TestTimeoutsLieWhereTheTrialSays(t *testing.T) {
	for _, l := range layouts() {
		for _, at := range []place{onBound, between} {
			tr := trial{shapes()[2], l, 1000, .01, at}
			for i := range 20 {
				s, timeout := tr.setUp(i)
				if p := s.survival(timeout); math.Abs(p/tr.p-1) > 1e-9 {
					t.Errorf("%s: p = %g", tr.name(), p)
				}
				h := l.histogram(make([]float64, len(l.bounds)+1))
				nearest := math.Inf(1)
				for _, bound := range l.bounds {
					nearest = min(nearest, math.Abs(math.Log(bound/timeout)))
				}
				if (nearest == 0) != (at == onBound) {
					t.Errorf("%s: timeout %g is %g from a bound of %d bins", tr.name(), timeout, nearest, len(h.Bins))
				}
			}
		}
	}
}

func TestFactorError(t *testing.T) {
	for _, c := range []struct{ estimate, truth, want float64 }{
		{.02, .01, 2}, {.005, .01, 2}, {.01, .01, 1}, {0, .01, math.Inf(1)}, {math.NaN(), .01, math.Inf(1)},
	} {
		if got := factorError(c.estimate, c.truth); got != c.want {
			t.Errorf("%g for %g: %g, want %g", c.estimate, c.truth, got, c.want)
		}
	}
}

func TestWrongIsTheOtherSideOfP99(t *testing.T) {
	o := outcome{estimates: [methods]float64{.02, .005, .02}, verdict: latency.VerdictUncertain}
	if !o.wrong(twoQuantile, .001) || o.wrong(single, .001) || o.wrong(twoQuantile, .05) || !o.wrong(single, .05) {
		t.Error("estimates decide by their side of 1%")
	}
	if o.wrong(headline, .001) || o.wrong(headline, .05) {
		t.Error("an undecided verdict is not wrong")
	}
	o.verdict = latency.VerdictAbove
	if !o.wrong(headline, .001) || o.wrong(headline, .05) {
		t.Error("above: wrong where less than 1% is cut off")
	}
}

func TestQuantileOfTheWindows(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	for q, want := range map[float64]float64{.25: 1, .5: 2, .51: 3, .95: 4, 1: 4} {
		if got := quantile(values, q); got != want {
			t.Errorf("%g: %g, want %g", q, got, want)
		}
	}
	if !math.IsNaN(quantile(nil, .5)) {
		t.Error("nothing has no quantile")
	}
}

// Fixed seeds, one window of each kind. A bracket that left out the bin that
// holds the timeout, or limits at 95%, would hold less; a headline that followed
// the single fit would be off by thousands on some shapes.
func TestHeadlineAndBracketHoldOnEveryShape(t *testing.T) {
	var y tally
	for _, tr := range trials() {
		if tr.n != largest || tr.place == between && tr.shape.unresolved != "" {
			continue
		}
		y.add(tr, tr.run(2))
	}
	if y.coverage() < .98 {
		t.Errorf("the bracket holds the truth in %.2f%% of %d windows", 100*y.coverage(), y.all)
	}
	if p50, p95 := y.factor(headline, .5), y.factor(headline, .95); p50 > 1.05 || p95 > 1.5 {
		t.Errorf("headline off by %g at the median, %g at the 95th percentile", p50, p95)
	}
	if y.wrong[headline] > 0 {
		t.Errorf("%d wrong verdicts", y.wrong[headline])
	}
}
