package workload

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// answering is a callee that takes 400 ms unless its shape says otherwise, and
// what it measures into.
func answering(s Shape) (*callee, *prometheus.Registry) {
	registry := prometheus.NewRegistry()
	if s.Latency == nil {
		s.Latency = func(Request, *rand.Rand) time.Duration { return 400 * time.Millisecond }
	}
	s.Buckets = []float64{1}
	return &callee{
		shape: s, measures: newMeasures(s, "payments", registry, registry), seed: 1, started: time.Now(),
	}, registry
}

func attempt(ctx context.Context, call string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	r.Header.Set(callHeader, call)
	return r
}

func TestCalleeWorksOnAndMeasuresAfterTheCallerHasGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, registry := answering(Shape{Recording: AtCallee})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		c.ServeHTTP(httptest.NewRecorder(), attempt(ctx, "7"))
		got := counted(t, registry)
		if got.Observed != 1 || got.Sum != .4 {
			t.Errorf("observed %d attempts of %v s, want 1 of 0.4 s", got.Observed, got.Sum)
		}
	})
}

func TestCalleeDoesNotMeasureWhatTheCallerDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, registry := answering(Shape{Recording: Recorded})
		reply := httptest.NewRecorder()
		c.ServeHTTP(reply, attempt(t.Context(), "7"))
		if got := counted(t, registry).Observed; got != 0 || reply.Code != http.StatusNoContent {
			t.Errorf("observed %d attempts and answered %d, want none and 204", got, reply.Code)
		}
	})
}

func TestCalleeFailsAsOftenAsItsShapeSays(t *testing.T) {
	c, _ := answering(Shape{Recording: Recorded, ErrorRatio: 0.3, Latency: func(Request, *rand.Rand) time.Duration { return 0 }})
	failed := 0
	const n = 5000
	for range n {
		reply := httptest.NewRecorder()
		c.ServeHTTP(reply, attempt(t.Context(), "7"))
		if reply.Code == http.StatusServiceUnavailable {
			failed++
		}
	}
	// 1,500 ± 32, by a fixed seed; five of those are allowed.
	if failed < 1340 || failed > 1660 {
		t.Errorf("%d of %d attempts failed, want about 30%%", failed, n)
	}
}

func TestCalleeAnswersAtOnceWhenTheWorkloadEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, registry := answering(Shape{Recording: AtCallee})
		stopping := make(chan struct{})
		c.stopping = stopping
		time.AfterFunc(time.Millisecond, func() { close(stopping) })
		began := time.Now()
		reply := httptest.NewRecorder()
		c.ServeHTTP(reply, attempt(t.Context(), "7"))
		if took := time.Since(began); took != time.Millisecond || reply.Code != http.StatusServiceUnavailable {
			t.Errorf("answered %d after %v, want 503 after 1ms", reply.Code, took)
		}
		if got := counted(t, registry).Observed; got != 0 {
			t.Errorf("observed %d attempts that were broken off", got)
		}
	})
}

func TestCalleeRefusesAnAttemptOfNoCall(t *testing.T) {
	c, _ := answering(Shape{Recording: Recorded})
	reply := httptest.NewRecorder()
	c.ServeHTTP(reply, attempt(t.Context(), "seven"))
	if reply.Code != http.StatusBadRequest {
		t.Errorf("answered %d, want 400", reply.Code)
	}
}
