package promquery_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

func TestQueriesAreBoundedInNumberAndCounted(t *testing.T) {
	var (
		now, most atomic.Int64
		mu        sync.Mutex
		outcomes  = map[promquery.Outcome]int{}
	)
	counting := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for {
			seen := most.Load()
			if n <= seen || most.CompareAndSwap(seen, n) {
				break
			}
		}
		fake{scrapes: text(429, "text/plain", "")}.ServeHTTP(w, r)
	})
	c := client(t, serve(t, counting), func(o *promquery.Options) {
		o.Prometheus.MaxConcurrentQueries = 3
		o.OnQuery = func(outcome promquery.Outcome, took time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			outcomes[outcome]++
			if took < 0 {
				t.Errorf("a query took %s", took)
			}
		}
	})
	deps := []config.Dependency{dependency("bad_seconds")}
	for i := range 20 {
		deps = append(deps, dependency(fmt.Sprintf("good_%d_seconds", i)))
	}
	results := c.Observe(t.Context(), deps, noon)
	for _, r := range results[1:] {
		fresh(t, r)
	}
	if got := most.Load(); got > 3 {
		t.Errorf("%d queries at once, want 3 at most", got)
	}
	diff(t, "outcomes", map[promquery.Outcome]int{promquery.OutcomeThrottled: 3, promquery.OutcomeSuccess: 60}, outcomes)
}

func TestStoppedAuditAsksNothing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	c := client(t, serve(t, fake{}), nil)
	r := c.Observe(ctx, []config.Dependency{dependency("a_seconds")}, noon)[0]
	wantError(t, r.Err, promquery.KindCanceled, "stopped")
}

func TestAuditStoppedInTheMiddle(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	f := fake{buckets: func(w http.ResponseWriter, r *http.Request) {
		stop()
		hang(w, r)
	}}
	c := client(t, serve(t, f), nil)
	r := c.Observe(ctx, []config.Dependency{dependency("bad_seconds")}, noon)[0]
	wantError(t, r.Err, promquery.KindCanceled, "stopped before the answer came")
}

func TestCycleThatRunsOutOfTime(t *testing.T) {
	t.Run("before the query", func(t *testing.T) {
		ctx, stop := context.WithDeadline(t.Context(), noon)
		defer stop()
		r := client(t, serve(t, fake{}), nil).Observe(ctx, []config.Dependency{dependency("a_seconds")}, noon)[0]
		wantError(t, r.Err, promquery.KindTimeout, "not sent: the time for the whole cycle ran out")
	})
	t.Run("during the query", func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer stop()
		r := client(t, serve(t, fake{scrapes: hang}), nil).Observe(ctx, []config.Dependency{dependency("bad_seconds")}, noon)[0]
		wantError(t, r.Err, promquery.KindTimeout, "the time for the whole cycle ran out before the answer came")
	})
}

func TestRequestsAreAsPrometheusLikesThem(t *testing.T) {
	var mu sync.Mutex
	var wrong []string
	checking := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		mu.Lock()
		defer mu.Unlock()
		for what, ok := range map[string]bool{
			"method " + r.Method: r.Method == http.MethodPost,
			"path " + r.URL.Path: strings.HasPrefix(r.URL.Path, "/prom/api/v1/query"),
			"agent":              r.UserAgent() == "timeout-auditor/test",
			"credentials":        user == "reader" && password == "hunter2",
			"timeout":            r.FormValue("timeout") == "20s",
			"partial_response":   r.FormValue("partial_response") == "false", // Thanos would leave out stores that are away
		} {
			if !ok {
				wrong = append(wrong, what)
			}
		}
		fake{}.ServeHTTP(w, r)
	})
	c := client(t, serve(t, checking)+"/prom/", func(o *promquery.Options) {
		o.Prometheus.HTTPClient.BasicAuth = &promconfig.BasicAuth{Username: "reader", Password: "hunter2"}
	})
	fresh(t, c.Observe(t.Context(), []config.Dependency{dependency("a_seconds")}, noon)[0])
	if len(wrong) > 0 {
		t.Errorf("wrong in requests: %q", wrong)
	}
}

// Without that, what thousands were answered would be held until the last is.
func TestResultIsHandedOverWhileOthersAreAsked(t *testing.T) {
	known := make(chan struct{})
	waiting := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.FormValue("query"), "late_seconds") {
			select {
			case <-known:
			case <-time.After(10 * time.Second):
			}
		}
		fake{}.ServeHTTP(w, r)
	})
	deps := []config.Dependency{dependency("late_seconds"), dependency("a_seconds")}
	var order []int
	client(t, serve(t, waiting), nil).ObserveEach(t.Context(), deps, noon, func(i int, r promquery.Result) {
		order = append(order, i) // one of them waits for the other
		fresh(t, r)
		if len(order) == 1 {
			close(known)
		}
	})
	if !slices.Equal(order, []int{1, 0}) {
		t.Errorf("handed over in the order %v, want the late one last", order)
	}
}

func TestServerThatRefusesPOSTIsAskedByGET(t *testing.T) {
	getOnly := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		fake{}.ServeHTTP(w, r)
	})
	c := client(t, serve(t, getOnly), nil)
	fresh(t, c.Observe(t.Context(), []config.Dependency{dependency("a_seconds")}, noon)[0])
}

func TestNoMessageShowsACredential(t *testing.T) {
	withSecrets := func(url string) string {
		return strings.Replace(url, "http://", "http://reader:hunter2@", 1) + "/path?token=hunter2"
	}
	for name, f := range map[string]fake{
		"answered":    {scrapes: text(503, "text/plain", "")},
		"redirected":  {scrapes: redirect(302, "/login?token=hunter2")},
		"disconnects": {scrapes: hangUp},
		"web page":    {scrapes: text(200, "text/html", page)},
	} {
		t.Run(name, func(t *testing.T) {
			c := client(t, withSecrets(serve(t, f)), nil)
			r := c.Observe(t.Context(), []config.Dependency{dependency("bad_seconds")}, noon)[0]
			if r.Err == nil {
				t.Fatal("no error")
			}
			for _, shown := range []string{r.Err.Error(), fmt.Sprintf("%+v", r.Err)} {
				if strings.Contains(shown, "hunter2") || strings.Contains(shown, "reader") {
					t.Errorf("shows a credential: %s", shown)
				}
			}
		})
	}
}

func TestBrokenClientConfigurationIsSaid(t *testing.T) {
	o := promquery.Options{Prometheus: config.Prometheus{URL: "https://prometheus.example"}}
	o.Prometheus.HTTPClient.TLSConfig.CAFile = "no-such-ca.pem"
	if _, err := promquery.New(o); err == nil || !strings.Contains(err.Error(), "no-such-ca.pem") {
		t.Errorf("got %v, want the name of the missing file", err)
	}
}
