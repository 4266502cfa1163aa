package loop

import (
	"errors"
	"math"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

func TestConstantLatenessShiftsByItself(t *testing.T) {
	var l lateness
	for range 10 {
		l.reply(.002)
		l.path(.001)
		l.timer(.005)
	}
	for name, got := range map[string]Lateness{"mean": l.mean(), "shift": l.shift(usual(), .25)} {
		if !near(got.Replies, .003) || !near(got.Timers, .005) {
			t.Errorf("%s: %+v, want 3 ms and 5 ms", name, got)
		}
	}
}

func TestRareLongDelaysShiftByNoMoreThanTheyCutOff(t *testing.T) {
	var l lateness
	for i := range 100 {
		l.reply(float64(i/99) * 10) // one of a hundred, far beyond the timeout
	}
	of, timeout := usual(), .25
	shift, mean := l.shift(of, timeout).Replies, l.mean().Replies
	want := .99*of.Survival(timeout) + .01
	if got := of.Survival(timeout - shift); !near(got, want) || shift >= mean {
		t.Errorf("a shift of %v s cuts off %v, want %v; the mean delay is %v s", shift, got, want, mean)
	}
}

func TestNothingWaitedForIsNotLate(t *testing.T) {
	var l lateness
	if l.mean() != (Lateness{}) || l.shift(usual(), .25) != (Lateness{}) {
		t.Errorf("late by %+v, %+v without a sample", l.mean(), l.shift(usual(), .25))
	}
}

func TestClockThatRunsBackIsNotEarly(t *testing.T) {
	var l lateness
	l.timer(-.1)
	if l.mean().Timers != 0 {
		t.Errorf("late by %v s", l.mean().Timers)
	}
}

func TestLaterMovesMedianAndP99(t *testing.T) {
	for _, by := range []float64{-.02, 0, .003, .4} {
		moved, err := later(usual(), by)
		if err != nil {
			t.Fatal(err)
		}
		for _, tail := range []float64{.5, .01} {
			if got, want := moved.Quantile(tail), usual().Quantile(tail)+by; !near(got, want) {
				t.Errorf("by %v s: quantile at tail %v is %v s, want %v", by, tail, got, want)
			}
		}
	}
	if _, err := later(usual(), -.11); !errors.Is(err, latency.ErrNonPositiveQuantile) {
		t.Errorf("got %v for latencies of which nothing is left", err)
	}
}
