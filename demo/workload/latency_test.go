package workload

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// draws takes n latencies of n calls, one at each moment of a long run.
func draws(l Latency, n int) []float64 {
	draw := rand.New(rand.NewPCG(1, 2))
	seconds := make([]float64, n)
	for i := range seconds {
		seconds[i] = l(Request{Call: uint64(i), At: time.Duration(i) * 10 * time.Millisecond}, draw).Seconds()
	}
	return seconds
}

func shareAbove(seconds []float64, limit time.Duration) float64 {
	above := 0
	for _, s := range seconds {
		if s > limit.Seconds() {
			above++
		}
	}
	return float64(above) / float64(len(seconds))
}

// The seeds are fixed. With n = 50,000 the standard error of a share near 1% is
// 0.04%, and those of the median and of p99 0.3% and 0.9%, so nearly every other
// seed passes as well. What breaks these tests is a wrong formula.
const samples = 50_000

func TestLognormalHasItsPercentiles(t *testing.T) {
	seconds := draws(Lognormal(120*time.Millisecond, 430*time.Millisecond), samples)
	slices.Sort(seconds)
	for p, want := range map[float64]float64{0.5: 0.120, 0.99: 0.430} {
		got := seconds[int(p*samples)]
		if math.Abs(got/want-1) > 0.04 {
			t.Errorf("the %g quantile is %.4g s, want %.4g s", p, got, want)
		}
	}
}

func TestTwoModesHasTheRareOneAsOftenAsSaid(t *testing.T) {
	always := func(d time.Duration) Latency {
		return func(Request, *rand.Rand) time.Duration { return d }
	}
	seconds := draws(TwoModes(0.005, always(time.Millisecond), always(time.Second)), samples)
	if got := shareAbove(seconds, 500*time.Millisecond); math.Abs(got-0.005) > 0.0016 {
		t.Errorf("%.3f%% are of the rare mode, want 0.5%%", 100*got)
	}
}

func stalls() StallOptions {
	return StallOptions{Partitions: 200, Length: 2 * time.Second, Share: 0.006, Seed: 1}
}

func TestStallsTakeTheirShareOfTime(t *testing.T) {
	o := stalls()
	never := func(Request, *rand.Rand) time.Duration { return 0 }
	// 50,000 moments see 200 partitions × 250 epochs, of which 300 ± 17 stall,
	// each for about 1 moment: 0.6% ± 0.05%.
	seconds := draws(Stalls(o, never), samples)
	if got := shareAbove(seconds, 0); math.Abs(got-o.Share) > 0.0025 {
		t.Errorf("%.3f%% meet a stall, want %.3f%%", 100*got, 100*o.Share)
	}
	if longest := slices.Max(seconds); longest > o.Length.Seconds() || longest < 0.9*o.Length.Seconds() {
		t.Errorf("the longest wait is %.3g s, want about the length of a stall, %v", longest, o.Length)
	}
}

func TestAttemptsOfOneCallShareItsStallAndOthersDoNot(t *testing.T) {
	o := stalls()
	retried, together, others := 0, 0, 0
	for call := range uint64(samples) {
		first := Request{Call: call, At: time.Duration(call) * 10 * time.Millisecond}
		if o.left(first) < 500*time.Millisecond {
			continue
		}
		retried++
		again := Request{Call: call, At: first.At + 400*time.Millisecond}
		if o.left(again) > 0 {
			together++
		}
		if o.left(Request{Call: call + samples, At: again.At}) > 0 {
			others++
		}
	}
	if retried < 100 {
		t.Fatalf("%d calls met a stall: too few to say anything", retried)
	}
	if together != retried {
		t.Errorf("%d of %d retries 400 ms later met the same stall, want all", together, retried)
	}
	if share := float64(others) / float64(retried); share > 0.05 {
		t.Errorf("%.1f%% of other calls stalled at the same moment, want about %.1f%%", 100*share, 100*o.Share)
	}
}
