package promquery_test

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// footprint is what a process holds.
type footprint struct {
	goroutines, files int
	heap              uint64
}

func footprintNow(t *testing.T) footprint {
	t.Helper()
	runtime.GC()
	runtime.GC() // what the first one finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f := footprint{goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil { // where there is one
		f.files = len(open)
	}
	return f
}

// An hour of cycles every ten seconds, without the waiting: the server hangs up,
// sends pages and half answers, and dependencies come and go.
func TestAnHourOfCyclesInBadWeatherLeavesNothingBehind(t *testing.T) {
	const cycles, warm = 360, 60
	var asked atomic.Int64
	weather := []http.HandlerFunc{hangUp, cutShort, text(500, "text/html", page), text(200, "text/html", page), failed(422, "execution", "boom"), vector(nil)}
	c := client(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := asked.Add(1); n%5 == 0 {
			weather[n/5%int64(len(weather))](w, r)
			return
		}
		fake{}.ServeHTTP(w, r)
	})), func(o *promquery.Options) { o.Prometheus.QueryTimeout = time.Second })
	var begun footprint
	answered, failures := 0, 0
	for i := range cycles {
		if i == warm {
			begun = footprintNow(t)
		}
		var deps []config.Dependency
		for j := range 5 {
			deps = append(deps, dependency(fmt.Sprintf("come_and_go_%d_seconds", i+j)))
		}
		for _, r := range c.Observe(t.Context(), deps, noon) {
			if r.Err == nil {
				answered++
			} else {
				failures++
			}
		}
	}
	if answered < cycles || failures < cycles/2 {
		t.Fatalf("%d answers and %d failures: that is no bad weather", answered, failures)
	}
	ended := footprintNow(t)
	t.Logf("after %d cycles %+v, after %d %+v", warm, begun, cycles, ended)
	if ended.goroutines > begun.goroutines+10 || ended.files > begun.files+10 || ended.heap > begun.heap+4<<20 {
		t.Errorf("from %+v to %+v in %d cycles", begun, ended, cycles-warm)
	}
}
