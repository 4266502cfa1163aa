package workload

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"
)

// z99 is the 99th percentile of the standard normal distribution.
const z99 = 2.3263478740408408

// Request is what a callee knows of an attempt when it arrives.
type Request struct {
	Call uint64        // names the call: all of its attempts have the same
	At   time.Duration // since the callee started
}

// Latency draws how long a callee takes to answer one attempt.
type Latency func(r Request, draw *rand.Rand) time.Duration

// Lognormal is the usual shape of latency, given by two of its percentiles:
// sigma = ln(p99/p50)/2.326 (docs/model.md §1).
func Lognormal(p50, p99 time.Duration) Latency {
	sigma := math.Log(p99.Seconds()/p50.Seconds()) / z99
	return func(_ Request, draw *rand.Rand) time.Duration {
		return time.Duration(float64(p50) * math.Exp(sigma*draw.NormFloat64()))
	}
}

// TwoModes takes the rare latency for the given share of attempts and the usual
// one for all others: a cache that misses. Each attempt draws anew.
func TwoModes(share float64, usual, rare Latency) Latency {
	return func(r Request, draw *rand.Rand) time.Duration {
		if draw.Float64() < share {
			return rare(r, draw)
		}
		return usual(r, draw)
	}
}

// StallOptions describe a callee whose partitions stop for a while now and
// then, each by itself.
type StallOptions struct {
	Partitions uint64
	Length     time.Duration // of one stall
	Share      float64       // of its time that a partition spends stalled
	Seed       uint64
}

// Stalls has attempts wait while their call's partition stalls, and then take
// the usual time. All attempts of a call go to one partition, so they share its
// fate.
func Stalls(o StallOptions, usual Latency) Latency {
	return func(r Request, draw *rand.Rand) time.Duration {
		return o.left(r) + usual(r, draw)
	}
}

// left is how much of a stall an attempt has to sit out. A partition's time is
// cut into epochs of one stall's length, and a hash says which of them are
// stalls, so that no state has to be kept.
func (o StallOptions) left(r Request) time.Duration {
	partition := o.hash(r.Call) % o.Partitions
	// Shifted, so that partitions do not all change at the same moment.
	shift := time.Duration(float64(o.Length) * float64(partition) / float64(o.Partitions))
	epoch, into := (r.At+shift)/o.Length, (r.At+shift)%o.Length
	if float64(o.hash(partition, uint64(epoch)))/(1<<64) >= o.Share {
		return 0
	}
	return o.Length - into
}

func (o StallOptions) hash(values ...uint64) uint64 {
	h := fnv.New64a()
	var bytes [8]byte
	for _, v := range append(values, o.Seed) {
		binary.LittleEndian.PutUint64(bytes[:], v)
		h.Write(bytes[:])
	}
	return rand.NewPCG(h.Sum64(), 0).Uint64() // FNV alone leaves its high bits alike
}
