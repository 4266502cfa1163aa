package promquery_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// eightHours is the past of a histogram that was slow for an hour, of one with
// other buckets in the morning, and of one that began late and has a gap.
func eightHours() *backfill {
	b := &backfill{}
	ago := func(from, to int) every {
		return every{step: 15 * time.Second, from: time.Duration(from) * time.Hour, to: time.Duration(to) * time.Hour}
	}
	b.histogram(histogram{name: "slow_hour_seconds", labels: `pod="a"`, bounds: goBounds, calls: 1000, mean: 0.2, cdf: usual}, ago(9, 0))
	b.histogram(histogram{name: "slow_hour_seconds", labels: `pod="b"`, bounds: goBounds, calls: 1000, mean: 0.9, cdf: lognormal(0.9, 0.8)}, ago(4, 3))
	b.histogram(histogram{name: "rebuilt_seconds", labels: `v="1"`, bounds: []string{"0.1", "1"}, calls: 500, mean: 0.2, cdf: usual}, ago(9, 5))
	b.histogram(histogram{name: "rebuilt_seconds", labels: `v="2"`, bounds: goBounds, calls: 500, mean: 0.2, cdf: usual}, ago(4, 0))
	b.histogram(histogram{name: "gap_seconds", bounds: goBounds, calls: 100, mean: 0.2, cdf: usual}, ago(6, 4))
	b.histogram(histogram{name: "gap_seconds", bounds: goBounds, calls: 100, mean: 0.2, cdf: usual}, ago(2, 0))
	return b
}

func TestHistoryIsWhatObserveWouldHaveSaid(t *testing.T) {
	url := eightHours().start(t).URL
	deps := []config.Dependency{dependency("slow_hour_seconds"), dependency("rebuilt_seconds"), dependency("gap_seconds"), dependency("none_seconds")}
	for name, change := range map[string]func(*promquery.Options){
		"at once": nil,
		"in small replies": func(o *promquery.Options) {
			o.MaxReplyBytes = 20_000
		},
	} {
		t.Run(name, func(t *testing.T) {
			var (
				mu    sync.Mutex
				steps int
			)
			past := make([][]promquery.Result, len(deps))
			client(t, url, change).Histories(t.Context(), deps, promquery.HistoryOptions{
				End: evening, Step: time.Hour, Steps: 8, Progress: func(n int) { mu.Lock(); steps += n; mu.Unlock() },
			}, func(i int, hours []promquery.Result) { past[i] = hours })
			whole := client(t, url, nil)
			if want := 8 * len(deps); steps != want {
				t.Errorf("progress over %d steps, want %d", steps, want)
			}
			for i := range 8 {
				at := evening.Add(-time.Duration(7-i) * time.Hour)
				for d, now := range whole.Observe(t.Context(), deps, at) {
					sameAsThen(t, deps[d].Name, now, past[d][i])
				}
			}
		})
	}
}

// sameAsThen wants the counts of one step of the past as Observe had them.
func sameAsThen(t *testing.T, name string, then, past promquery.Result) {
	t.Helper()
	var unread *promquery.Error
	if errors.As(past.Err, &unread) && unread.Reason == latency.ReasonNonMonotonic && then.Err == nil {
		return // increase() stretches each bucket by itself: between bounds that only the history asks for, counts may fall
	}
	if (then.Err == nil) != (past.Err == nil) {
		t.Errorf("%s at %v: the error was %v, and the history says %v", name, then.Observation.At, then.Err, past.Err)
		return
	}
	if then.Err != nil {
		return
	}
	if then.Observation.At != past.Observation.At {
		t.Errorf("%s: asked about %v, the history has %v", name, then.Observation.At, past.Observation.At)
	}
	for which, w := range map[string][2]latency.Window{
		"the window": {then.Observation.Now, past.Observation.Now}, "the window before": {then.Observation.Before, past.Observation.Before},
	} {
		var want, got [][]float64
		for _, part := range w[0].Parts {
			want = append(want, cumulativeAt(part, part))
		}
		for i, part := range w[1].Parts {
			got = append(got, cumulativeAt(part, w[0].Parts[min(i, len(w[0].Parts)-1)]))
		}
		if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 1e-9)); d != "" {
			t.Errorf("%s at %v, %s (-observed then +history):\n%s", name, then.Observation.At, which, d)
		}
	}
}

// cumulativeAt is how many values a histogram has up to each bound of another:
// Observe asks for parts at fewer bounds than the history.
func cumulativeAt(h, bounds latency.Histogram) []float64 {
	var counts []float64
	for _, at := range bounds.Bins {
		below := 0.0
		for _, b := range h.Bins {
			if b.Upper <= at.Upper {
				below += b.Count
			}
		}
		counts = append(counts, below)
	}
	return counts
}
