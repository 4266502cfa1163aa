package loop

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

// Headers between caller and callee.
const (
	callHeader    = "X-Call"    // of a request: names the call
	attemptHeader = "X-Attempt" // of a request: 1 is the first of its call
	heldHeader    = "X-Held"    // of a reply: the nanoseconds that the callee took
)

// callee replies to attempts when, and as, their fate says.
type callee struct {
	fates
	late *lateness
}

// ServeHTTP works on after the caller has given up, as a callee does that no
// deadline is propagated to. So all attempts are measured, however slow.
func (c *callee) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	call, err := strconv.ParseUint(r.Header.Get(callHeader), 10, 64)
	if err != nil {
		http.Error(w, "the header "+callHeader+" must be a number", http.StatusBadRequest)
		return
	}
	attempt, err := strconv.ParseUint(r.Header.Get(attemptHeader), 10, 64)
	if err != nil {
		http.Error(w, "the header "+attemptHeader+" must be a number", http.StatusBadRequest)
		return
	}
	fate := c.of(call, attempt)
	time.Sleep(time.Duration(fate.seconds * float64(time.Second)))
	held := time.Since(began)
	c.late.reply(held.Seconds() - fate.seconds)
	w.Header().Set(heldHeader, strconv.FormatInt(int64(held), 10))
	// Replies have a body. A connection whose reply has none is free for the next
	// attempt before the last one has let go of it, and a timeout at that moment
	// would break off both.
	if fate.fails {
		http.Error(w, "no luck this time", http.StatusServiceUnavailable)
		return
	}
	io.WriteString(w, "done\n")
}
