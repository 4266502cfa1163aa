package workload

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// callHeader names the call that an attempt belongs to.
const callHeader = "X-Call"

// callee answers attempts after the latency of its shape.
type callee struct {
	shape    Shape
	measures measures
	seed     uint64
	started  time.Time
	stopping <-chan struct{}

	attempts atomic.Uint64
}

// ServeHTTP works on after the caller has gone: the deadline is not propagated.
func (c *callee) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	call, err := strconv.ParseUint(r.Header.Get(callHeader), 10, 64)
	if err != nil {
		http.Error(w, "the header "+callHeader+" must be a number", http.StatusBadRequest)
		return
	}
	// Each attempt has a source of its own, so that attempts need no lock.
	draw := rand.New(rand.NewPCG(c.seed, c.attempts.Add(1)))
	work := time.NewTimer(c.shape.Latency(Request{Call: call, At: began.Sub(c.started)}, draw))
	defer work.Stop()
	select {
	case <-work.C:
	case <-c.stopping:
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
		return
	}
	if c.shape.Recording == AtCallee {
		c.measures.duration.Observe(time.Since(began).Seconds())
	}
	if draw.Float64() < c.shape.ErrorRatio {
		http.Error(w, "no luck this time", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
