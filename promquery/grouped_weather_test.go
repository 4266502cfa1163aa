package promquery_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// interposed passes requests on to a real server, except those that it answers
// itself.
func interposed(t *testing.T, target string, answers func(query string, w http.ResponseWriter) bool) string {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // of a server that goes away
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		form, err := url.ParseQuery(string(body))
		if err != nil {
			t.Error(err)
			return
		}
		if answers(form.Get("query"), w) {
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		proxy.ServeHTTP(w, r)
	}))
}

// mesh is twenty dependencies of one shape, peers among those of crowd.
func mesh() []config.Dependency {
	var deps []config.Dependency
	for _, value := range nastyValues()[1:21] {
		deps = append(deps, selecting(dependency("crowd_seconds"), matcher("peer", value)))
	}
	return deps
}

// alternatives counts the values in the first selector of a query, about.
func alternatives(query string) int {
	selector, _, _ := strings.Cut(query, "}")
	if !strings.Contains(selector, "peer") {
		return 0
	}
	return 1 + strings.Count(selector, "|")
}

func TestGroupsInBadWeather(t *testing.T) {
	server := crowd().start(t).URL
	t.Run("too many samples are asked for in halves, and the next time at once", func(t *testing.T) {
		var refused atomic.Int64
		c := client(t, interposed(t, server, func(query string, w http.ResponseWriter) bool {
			if alternatives(query) <= 6 {
				return false
			}
			refused.Add(1)
			failed(422, "execution", "query processing would load too many samples into memory in query execution")(w, nil)
			return true
		}), nil)
		all(t, c.Observe(t.Context(), mesh(), evening))
		if refused.Swap(0) == 0 {
			t.Fatal("nothing was refused")
		}
		all(t, c.Observe(t.Context(), mesh(), evening))
		if n := refused.Load(); n > 0 {
			t.Errorf("%d queries are refused once more", n)
		}
	})
	t.Run("one that cannot be evaluated does not take the others down", func(t *testing.T) {
		c := client(t, interposed(t, server, func(query string, w http.ResponseWriter) bool {
			if !strings.Contains(query, "plain2") {
				return false
			}
			failed(422, "execution", "found duplicate series for the match group")(w, nil)
			return true
		}), nil)
		for i, r := range c.Observe(t.Context(), mesh(), evening) {
			if i == 1 {
				wantError(t, r.Err, promquery.KindBadQuery, "duplicate series")
				continue
			}
			if r.Err != nil {
				t.Errorf("%d: %v", i, r.Err)
			}
		}
	})
	t.Run("a server that accepts nothing is not asked for ever", func(t *testing.T) {
		var asked atomic.Int64
		c := client(t, interposed(t, server, func(_ string, w http.ResponseWriter) bool {
			asked.Add(1)
			failed(422, "execution", "no")(w, nil)
			return true
		}), nil)
		for _, r := range c.Observe(t.Context(), mesh(), evening) {
			wantError(t, r.Err, promquery.KindBadQuery, "does not accept the query: no")
		}
		if n := asked.Load(); n > 100 {
			t.Errorf("%d queries for 20 dependencies", n)
		}
	})
	t.Run("a partial answer fails its own chunk", func(t *testing.T) {
		c := client(t, interposed(t, server, func(query string, w http.ResponseWriter) bool {
			if alternatives(query) == 0 || strings.Contains(query, "crowd_summary") {
				return false
			}
			text(200, "application/json", `{"status":"success","isPartial":true,"data":{"resultType":"vector","result":[]}}`)(w, nil)
			return true
		}), nil)
		other := selecting(dependency("crowd_summary"), matcher("peer", "plain"))
		other.Latency.Kind = "summary"
		results := c.Observe(t.Context(), append(mesh(), other), evening)
		for _, r := range results[:20] {
			wantError(t, r.Err, promquery.KindPartial, "without some of its data")
		}
		if r := results[20]; r.Err != nil {
			t.Error(r.Err)
		}
	})
	t.Run("labels that nobody asked about are dropped", func(t *testing.T) {
		deps := []config.Dependency{
			selecting(dependency("crowd_seconds"), matcher("peer", "plain"), matcher("zone", "z1")),
			selecting(dependency("crowd_seconds"), matcher("peer", "plain2"), matcher("zone", "z2")),
		}
		all(t, client(t, server, nil).Observe(t.Context(), deps, evening)) // and not plain in z2
	})
}

func all(t *testing.T, results []promquery.Result) {
	t.Helper()
	for i, r := range results {
		if r.Err != nil || len(r.Observation.Now.Parts) != 12 {
			t.Errorf("dependency %d: %v, %d parts", i, r.Err, len(r.Observation.Now.Parts))
		}
	}
}

func TestBusyServerIsAskedAgain(t *testing.T) {
	for name, busy := range map[string]http.HandlerFunc{
		"429": text(429, "text/plain", "slow down"),
		"503": text(503, "text/plain", "starting"),
		"429 for a second": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			c := client(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == 1 {
					busy(w, r)
					return
				}
				fake{}.ServeHTTP(w, r)
			})), nil)
			begun := time.Now()
			fresh(t, c.Observe(t.Context(), []config.Dependency{dependency("a_seconds")}, noon)[0])
			if waited := time.Since(begun); strings.Contains(name, "second") && waited < time.Second {
				t.Errorf("waited %s, and was asked to wait a second", waited)
			}
		})
	}
}

func TestBusyServerIsNotAskedBeyondTheCycle(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Retry-After", "20")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	begun := time.Now()
	r := client(t, server.URL, nil).Observe(ctx, []config.Dependency{dependency("a_seconds")}, noon)[0]
	wantError(t, r.Err, promquery.KindServerError, "failed (503)")
	if waited := time.Since(begun); waited > 4*time.Second || asked.Load() != 1 {
		t.Errorf("%d queries in %s, want one and no wait", asked.Load(), waited)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Error("the whole cycle was waited for")
	}
}
