package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// held is what a process holds.
type held struct {
	goroutines, files int
	heap              uint64
}

func heldNow(t *testing.T) held {
	t.Helper()
	runtime.GC()
	runtime.GC() // what the first one finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h := held{goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil { // where there is one
		h.files = len(open)
	}
	return h
}

// An hour of the whole daemon at a cycle every ten seconds, without the waiting:
// each cycle follows a reload, Prometheus answers every seventh query badly, and
// people look at the pages.
func TestAnHourOfTheDaemonInBadWeatherLeavesNothingBehind(t *testing.T) {
	const cycles, warm = 360, 60
	target, err := url.Parse(cannedPrometheus(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	fair := httputil.NewSingleHostReverseProxy(target)
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	var asked atomic.Int64
	weather := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := asked.Add(1); {
		case n%7 > 0:
			fair.ServeHTTP(w, r)
		case n%2 > 0:
			panic(http.ErrAbortHandler) // hangs up
		default:
			http.Error(w, "<html>bad gateway</html>", http.StatusBadGateway)
		}
	}))
	t.Cleanup(weather.Close)
	var pushed atomic.Int64
	alertmanager := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { pushed.Add(1) }))
	t.Cleanup(alertmanager.Close)
	d := startDaemon(t, "--web.enable-lifecycle", "--config.file="+writeFile(t, "config.yaml",
		twoDependencies+"alertmanagers: [{url: %q}]\n", weather.URL, alertmanager.URL))
	ended := func() int {
		_, metrics := d.get("/metrics")
		n := 0
		for line := range strings.Lines(metrics) {
			var add int
			if _, cycles, found := strings.Cut(line, "timeout_auditor_cycles_total{"); found {
				_, _ = fmt.Sscanf(cycles[strings.Index(cycles, "}")+1:], "%d", &add)
			}
			n += add
		}
		return n
	}
	d.eventually("the first cycle ends", func() bool { return ended() > 0 })
	var begun held
	for i := range cycles {
		if i == warm {
			begun = heldNow(t)
		}
		before := ended()
		resp, err := http.Post(d.URL+"/-/reload", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		for _, path := range []string{"/", "/dependencies/checkout-payments", "/api/v1/report"} {
			if status, _ := d.get(path); status != http.StatusOK {
				t.Fatalf("%s: status %d in cycle %d", path, status, i)
			}
		}
		d.eventually("a cycle follows", func() bool { return ended() > before })
	}
	last := heldNow(t)
	t.Logf("after %d cycles %+v, after %d %+v", warm, begun, cycles, last)
	if last.goroutines > begun.goroutines+20 || last.files > begun.files+20 || last.heap > begun.heap+8<<20 {
		t.Errorf("from %+v to %+v in %d cycles", begun, last, cycles-warm)
	}
	if _, metrics := d.get("/metrics"); !strings.Contains(metrics, `timeout_auditor_cycles_total{result="partial"}`) {
		t.Error("no cycle was partial: that is no bad weather")
	}
	if pushed.Load() < cycles {
		t.Errorf("%d pushes in %d cycles", pushed.Load(), cycles)
	}
}
