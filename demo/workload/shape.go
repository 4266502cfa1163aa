package workload

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Recording says where a shape's latency is measured, and what becomes of
// attempts that are cut off.
type Recording string

const (
	// Recorded: the caller observes every attempt, one that is cut off at
	// about its timeout.
	Recorded Recording = "recorded"
	// Dropped: the caller observes replies alone and counts timeouts.
	Dropped Recording = "dropped"
	// AtCallee: the callee observes how long it takes, whether or not the
	// caller still waits.
	AtCallee Recording = "at callee"
)

// Shape is one kind of call and how it behaves.
type Shape struct {
	Dependency string // its name in the configuration, which has the policy
	Shows      string // for a person: what there is to see, in one line

	Rate       float64       // calls per second
	StopsAfter time.Duration // when the caller stops calling; 0: never
	Latency    Latency
	ErrorRatio float64 // of attempts, answered with 503

	Recording Recording
	Buckets   []float64 // bounds of the histogram in seconds
}

// Shapes lists the calls of the demo. Where nothing is wrong, timeouts are far
// from what a stall of a busy machine adds: such a stall is real latency, and
// would be paged for.
func Shapes() []Shape {
	return []Shape{
		{
			Dependency: "checkout-payments",
			Shows:      "the timeout is below p99, and a default hides what fails: this must page",
			Rate:       50,
			Latency:    Lognormal(120*time.Millisecond, 430*time.Millisecond), // 4.5% above the timeout of 300 ms
			Recording:  Recorded,
			Buckets:    []float64{.025, .05, .075, .1, .15, .2, .25, .3, .4, .5, .75, 1},
		},
		{
			Dependency: "search-index",
			Shows:      "a comfortable timeout: nothing to report",
			Rate:       40,
			Latency:    Lognormal(250*time.Millisecond, 700*time.Millisecond),
			Recording:  Recorded,
			Buckets:    prometheus.DefBuckets,
		},
		{
			Dependency: "catalog-prices",
			Shows:      "two modes: cache misses are too rare to move p99, and each is cut off",
			Rate:       140,
			Latency: TwoModes(0.006,
				Lognormal(15*time.Millisecond, 50*time.Millisecond),
				Lognormal(time.Second, 1800*time.Millisecond)),
			Recording: AtCallee,
			Buckets:   []float64{.005, .01, .015, .025, .04, .06, .1, .25, .5, .75, 1, 1.5, 2.5},
		},
		{
			Dependency: "checkout-fraud",
			Shows:      "stalls that all attempts of a call share: retries buy nothing",
			Rate:       150,
			// A retry meets the same stall, so that twice this share of attempts does.
			Latency: Stalls(StallOptions{Partitions: 400, Length: 2 * time.Second, Share: 0.003, Seed: 1},
				Lognormal(20*time.Millisecond, 80*time.Millisecond)),
			Recording: Dropped,
			Buckets:   []float64{.005, .01, .025, .05, .075, .1, .25, .5, 1},
		},
		{
			Dependency: "reports-warehouse",
			Shows:      "buckets end far below the timeout: nobody can know",
			Rate:       20,
			Latency:    Lognormal(700*time.Millisecond, 2500*time.Millisecond),
			Recording:  Recorded,
			Buckets:    []float64{.05, .1, .25, .5, .75, 1},
		},
		{
			Dependency: "mail-smtp",
			Shows:      "fails often, and after a while is no longer called: silence is no recovery",
			Rate:       40,
			StopsAfter: 40 * time.Second,
			Latency:    Lognormal(30*time.Millisecond, 120*time.Millisecond),
			ErrorRatio: 0.3,
			Recording:  Recorded,
			Buckets:    prometheus.DefBuckets,
		},
	}
}
