package loop

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

// script answers the attempts of every call after the same latencies, 503 after
// a negative one, and the rest as the last.
type script []time.Duration

func (s script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	attempt := int(r.Header.Get(attemptHeader)[0] - '0')
	latency := s[min(attempt, len(s))-1]
	time.Sleep(max(latency, -latency))
	w.Header().Set(heldHeader, "0")
	if latency < 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	io.WriteString(w, "done")
}

// meets makes one call against a script, in a bubble.
func meets(t *testing.T, p retry.Policy, answers http.Handler) (got ended, err error) {
	synctest.Test(t, func(t *testing.T) {
		network, _ := pipes(0)(t.Context())
		stop := network.serve(answers)
		c := &caller{policy: p, client: network.client(), url: network.url(), seed: 1, budget: newTokens(p.Budget), late: &lateness{}}
		got, err = c.call(t.Context(), 1)
		c.client.CloseIdleConnections()
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return got, err
}

func TestCallFollowsItsPolicy(t *testing.T) {
	const m = time.Millisecond
	plain := retry.Policy{Timeout: .3, Retries: 2, RetryOnTimeout: true, Backoff: retry.Backoff{Initial: .1, Multiplier: 2}}
	with := func(change func(p *retry.Policy)) retry.Policy {
		p := plain
		change(&p)
		return p
	}
	none := 0.0
	for name, c := range map[string]struct {
		policy  retry.Policy
		answers script
		want    ended
	}{
		"a reply in time":       {plain, script{20 * m}, ended{false, 1, .02}},
		"a timeout is retried":  {plain, script{400 * m, 20 * m}, ended{false, 2, .42}},
		"an error is retried":   {plain, script{-30 * m, 20 * m}, ended{false, 2, .15}},
		"retries run out":       {plain, script{400 * m}, ended{true, 3, 1.2}},
		"timeouts not retried":  {with(func(p *retry.Policy) { p.RetryOnTimeout = false }), script{400 * m}, ended{true, 1, .3}},
		"but errors are":        {with(func(p *retry.Policy) { p.RetryOnTimeout = false }), script{-30 * m, 400 * m}, ended{true, 2, .43}},
		"the budget is used up": {with(func(p *retry.Policy) { p.Budget = &none }), script{400 * m}, ended{true, 1, .3}},
		"a deadline cuts an attempt short": {
			with(func(p *retry.Policy) { p.Deadline = .65 }), script{400 * m}, ended{true, 2, .65}},
		"no wait beyond the deadline": {
			with(func(p *retry.Policy) { p.Deadline = .38 }), script{400 * m}, ended{true, 1, .3}},
		"a deadline alone": {
			retry.Policy{Deadline: .25, Retries: 2, RetryOnTimeout: true}, script{400 * m}, ended{true, 1, .25}},
		"a timeout beyond the deadline": {
			retry.Policy{Timeout: .3, Deadline: .25}, script{400 * m}, ended{true, 1, .25}},
		"a hedge is not needed": {retry.Policy{Timeout: .3, HedgeAfter: .1}, script{50 * m}, ended{false, 1, .05}},
		"a hedge wins":          {retry.Policy{Timeout: .3, HedgeAfter: .1}, script{400 * m, 50 * m}, ended{false, 2, .15}},
		"the first still wins":  {retry.Policy{Timeout: .3, HedgeAfter: .1}, script{120 * m, 50 * m}, ended{false, 2, .12}},
		"a hedge has less time": {retry.Policy{Timeout: .3, HedgeAfter: .1}, script{400 * m, 250 * m}, ended{true, 2, .3}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := meets(t, c.policy, c.answers)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(ended{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestCallFailsWhenTheCalleeIsNotOne(t *testing.T) {
	_, err := meets(t, retry.Policy{Timeout: 1}, http.NotFoundHandler())
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v for a callee that does not know its path", err)
	}
}

func TestCalleeRefusesAttemptsWithoutNames(t *testing.T) {
	for name, header := range map[string]http.Header{
		"no call":           {attemptHeader: {"1"}},
		"a call by name":    {callHeader: {"one"}, attemptHeader: {"1"}},
		"no attempt":        {callHeader: {"1"}},
		"a negative number": {callHeader: {"1"}, attemptHeader: {"-1"}},
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		request.Header = header
		reply := httptest.NewRecorder()
		(&callee{fates: fated(0, 0), late: &lateness{}}).ServeHTTP(reply, request)
		if reply.Code != http.StatusBadRequest {
			t.Errorf("%s: answered %d, want 400", name, reply.Code)
		}
	}
}
