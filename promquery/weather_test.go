package promquery_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// badWeather is one way in which a reply can be wrong, and what must be said.
type badWeather struct {
	name   string
	fake   fake
	kind   promquery.Kind
	reason latency.Reason
	says   string
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func cutShort(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":`)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func redirect(status int, to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == to {
			status = http.StatusTemporaryRedirect // a loop
		}
		http.Redirect(w, r, to, status)
	}
}

const page = `<!DOCTYPE html><html><title>Sign in</title></html>`

func failed(status int, errorType, message string) http.HandlerFunc {
	return text(status, "application/json", fmt.Sprintf(`{"status":"error","errorType":%q,"error":%q}`, errorType, message))
}

func TestQueryThatIsNotAnswered(t *testing.T) {
	for _, tc := range []badWeather{
		{name: "web page instead of JSON", fake: fake{scrapes: text(200, "text/html; charset=utf-8", page)}, kind: promquery.KindMalformed, says: "web page"},
		{name: "JSON that ends in the middle", fake: fake{buckets: text(200, "application/json", `{"status":"success","data":{"resultType":"mat`)}, kind: promquery.KindMalformed, says: "cut short"},
		{name: "connection cut in the middle", fake: fake{parts: cutShort}, kind: promquery.KindMalformed, says: "cut short"},
		{name: "connection closed without a word", fake: fake{scrapes: hangUp}, kind: promquery.KindUnreachable, says: "closed the connection"},
		{name: "empty object", fake: fake{scrapes: text(200, "application/json", `{}`)}, kind: promquery.KindMalformed, says: "no result"},
		{name: "null result", fake: fake{scrapes: success(`{"resultType":"vector","result":null}`)}, kind: promquery.KindNoData, says: "no series match"},
		{name: "scalar for a vector", fake: fake{scrapes: success(`{"resultType":"scalar","result":[1714564800,"1"]}`)}, kind: promquery.KindMalformed, says: "got a scalar"},
		{name: "vector for a matrix", fake: fake{parts: vector(nil)}, kind: promquery.KindMalformed, says: "got a vector"},
		{name: "unknown result type", fake: fake{scrapes: success(`{"resultType":"surprise","result":[]}`)}, kind: promquery.KindMalformed, says: "not the JSON"},
		{name: "200 with status error", fake: fake{scrapes: failed(200, "execution", "expanding series: boom")}, kind: promquery.KindBadQuery, says: "boom"},
		{name: "400 bad data", fake: fake{parts: failed(400, "bad_data", "parse error")}, kind: promquery.KindBadQuery, says: "parse error"},
		{name: "401", fake: fake{scrapes: text(401, "text/plain", "no")}, kind: promquery.KindUnauthorized, says: "credentials"},
		{name: "403 for POST and GET", fake: fake{scrapes: text(403, "text/html", page)}, kind: promquery.KindUnauthorized, says: "credentials"},
		{name: "404", fake: fake{scrapes: text(404, "text/plain", "404 page not found")}, kind: promquery.KindMalformed, says: "path in prometheus.url"},
		{name: "422 too many samples", fake: fake{buckets: failed(422, "execution", "query processing would load too many samples into memory")}, kind: promquery.KindBadQuery, says: "too many samples"},
		{name: "429", fake: fake{scrapes: text(429, "text/plain", "slow down")}, kind: promquery.KindThrottled, says: "max_concurrent_queries"},
		{name: "500 with a page", fake: fake{scrapes: text(500, "text/html", page)}, kind: promquery.KindServerError, says: "failed (500): it gave no reason"},
		{name: "500 with a reason", fake: fake{scrapes: failed(500, "internal", "disk on fire")}, kind: promquery.KindServerError, says: "disk on fire"},
		{name: "503 of a proxy", fake: fake{scrapes: text(503, "text/plain", "no backend")}, kind: promquery.KindServerError, says: "failed (503)"},
		{name: "503 because the server's own time ran out", fake: fake{buckets: failed(503, "timeout", "query timed out in expression evaluation")}, kind: promquery.KindTimeout, says: "query timed out"},
		{name: "500 when asked what there is instead", fake: fake{scrapes: vector(nil), names: text(500, "text/plain", "")}, kind: promquery.KindServerError, says: "names query"},
		{name: "redirect to a login page", fake: fake{scrapes: redirect(302, "/login?next=token")}, kind: promquery.KindUnreachable, says: "/login: the redirect drops the query"},
		{name: "redirect loop", fake: fake{scrapes: redirect(307, "/api/v1/query")}, kind: promquery.KindUnreachable, says: "gave up after 10 redirects"},
	} {
		t.Run(tc.name, tc.run)
	}
}

func TestReplyThatDoesNotAddUp(t *testing.T) {
	series := `"le":"0.1"`
	for _, tc := range []badWeather{
		{name: "series that come twice", fake: fake{buckets: matrixOf([]string{series, series}, func(string, int) string { return "1" })}, kind: promquery.KindMalformed, says: "comes twice"},
		{name: "element that comes twice", fake: fake{scrapes: success(`{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]},{"metric":{},"value":[1,"1"]}]}`)}, kind: promquery.KindMalformed, says: "comes twice"},
		{name: "sample outside the range", fake: fake{parts: success(`{"resultType":"matrix","result":[{"metric":{"le":"1"},"values":[[1,"1"]]}]}`)}, kind: promquery.KindMalformed, says: "outside the range"},
		{name: "cumulative counts that fall", fake: fake{buckets: matrix(with(healthyBuckets, series, "97"))}, kind: promquery.KindUnusable, reason: latency.ReasonNonMonotonic, says: "merged by max"},
		{name: "no +Inf bucket", fake: fake{buckets: matrix(with(healthyBuckets, `"le":"+Inf"`, ""))}, kind: promquery.KindUnusable, reason: latency.ReasonNoHistogram, says: "+Inf"},
		{name: "buckets without le", fake: fake{buckets: matrix(map[string]string{"": "5"})}, kind: promquery.KindUnusable, reason: latency.ReasonNoHistogram, says: "no le label"},
		{name: "le that is no number", fake: fake{buckets: matrix(with(healthyBuckets, `"le":"fast"`, "1"))}, kind: promquery.KindUnusable, reason: latency.ReasonNoHistogram, says: `le="fast"`},
		{name: "NaN in one bucket", fake: fake{buckets: matrix(with(healthyBuckets, series, "NaN"))}, kind: promquery.KindUnusable, says: "finite number"},
		{name: "infinite count", fake: fake{buckets: matrix(with(healthyBuckets, `"le":"+Inf"`, "+Inf"))}, kind: promquery.KindUnusable, says: "finite number"},
		{name: "negative count", fake: fake{buckets: matrix(with(healthyBuckets, series, "-3"))}, kind: promquery.KindUnusable, says: "finite number"},
		{name: "NaN everywhere", fake: fake{buckets: matrix(map[string]string{series: "NaN", `"le":"+Inf"`: "NaN"})}, kind: promquery.KindNoData, says: "no series has two samples"},
		{name: "no buckets at all", fake: fake{buckets: matrix(nil)}, kind: promquery.KindNoData, says: "no series has two samples"},
		{name: "no series", fake: fake{scrapes: vector(nil)}, kind: promquery.KindNoData, says: "no series match bad_seconds in the last 1h"},
		{name: "one sample", fake: fake{scrapes: vector(with(healthyScrapes, `"stat":"classic samples"`, "1"))}, kind: promquery.KindNoData, says: "a single sample"},
		{name: "series with different bounds", fake: fake{scrapes: vector(with(healthyScrapes, `"stat":"classic layout","le":"0.1"`, "2"))}, kind: promquery.KindUnusable, reason: latency.ReasonMixedBuckets, says: "of 3 series, le=0.1 on 2"},
		{name: "+Inf bucket alone", fake: fake{scrapes: vector(with(healthyScrapes, `"stat":"classic layout","le":"0.1"`, "", `"stat":"classic layout","le":"1.0"`, ""))}, kind: promquery.KindUnusable, reason: latency.ReasonNoHistogram, says: "+Inf bucket alone"},
		{name: "native histogram where buckets were asked", fake: fake{buckets: nativeMatrix(`"le":"1"`, exponentialSample)}, kind: promquery.KindUnusable, reason: latency.ReasonNoHistogram, says: "native"},
		{name: "gauge of that name", fake: fake{scrapes: vector(nil), names: vector(map[string]string{`"__name__":"bad_seconds"`: "2"})}, kind: promquery.KindUnusable, reason: latency.ReasonNoHistogram, says: "a gauge or a counter"},
		{name: "summary of that name", fake: fake{scrapes: vector(nil), names: vector(map[string]string{`"__name__":"bad_seconds"`: "2", `"__name__":"bad_seconds_count"`: "1"})}, kind: promquery.KindUnusable, reason: latency.ReasonNoHistogram, says: "summary"},
		{name: "count and sum alone", fake: fake{scrapes: vector(nil), names: vector(map[string]string{`"__name__":"bad_seconds_count"`: "1"})}, kind: promquery.KindUnusable, reason: latency.ReasonNoHistogram, says: "no buckets"},
	} {
		t.Run(tc.name, tc.run)
	}
}

// run asks about a healthy dependency, the one in bad weather and another
// healthy one.
func (tc badWeather) run(t *testing.T) {
	c := client(t, serve(t, tc.fake), nil)
	deps := []config.Dependency{dependency("first_seconds"), dependency("bad_seconds"), dependency("last_seconds")}
	results := c.Observe(t.Context(), deps, noon)
	fresh(t, results[0])
	fresh(t, results[2])
	wantError(t, results[1].Err, tc.kind, tc.says)
	wantReason(t, results[1].Err, tc.reason)
	if len(results[1].Observation.Queries) == 0 {
		t.Error("the failed dependency does not show its queries")
	}
}

func wantError(t *testing.T, err error, kind promquery.Kind, says string) {
	t.Helper()
	var e *promquery.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an error of kind %s", err, kind)
	}
	if e.Kind != kind {
		t.Errorf("kind %s, want %s (%v)", e.Kind, kind, e)
	}
	if !strings.Contains(e.Error(), says) {
		t.Errorf("the message %q does not say %q", e, says)
	}
	if noData := kind == promquery.KindNoData || kind == promquery.KindUnusable; e.NoData() != noData {
		t.Errorf("NoData() is %v for kind %s", e.NoData(), e.Kind)
	}
}

func wantReason(t *testing.T, err error, reason latency.Reason) {
	t.Helper()
	var e *promquery.Error
	if errors.As(err, &e) && e.Reason != reason {
		t.Errorf("reason %q, want %q", e.Reason, reason)
	}
}

func TestNothingListens(t *testing.T) {
	server := httptest.NewServer(fake{})
	server.Close()
	c := client(t, server.URL, nil)
	r := c.Observe(t.Context(), []config.Dependency{dependency("a_seconds")}, noon)[0]
	wantError(t, r.Err, promquery.KindUnreachable, "is it running, and is prometheus.url right?")
}

func TestCertificateNobodyKnows(t *testing.T) {
	server := httptest.NewUnstartedServer(fake{})
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of the refused handshake
	server.StartTLS()
	t.Cleanup(server.Close)
	c := client(t, server.URL, nil)
	r := c.Observe(t.Context(), []config.Dependency{dependency("a_seconds")}, noon)[0]
	wantError(t, r.Err, promquery.KindUnreachable, "tls_config.ca_file")
}

func TestAnswerAfterTheQueryTimeout(t *testing.T) {
	c := client(t, serve(t, fake{buckets: hang}), func(o *promquery.Options) { o.Prometheus.QueryTimeout = time.Second })
	r := c.Observe(t.Context(), []config.Dependency{dependency("bad_seconds")}, noon)[0]
	wantError(t, r.Err, promquery.KindTimeout, "prometheus.query_timeout")
}

func TestReplyLargerThanAllowed(t *testing.T) {
	padding := strings.Repeat("x", 1<<20)
	f := fake{scrapes: vector(map[string]string{`"padding":"` + padding + `"`: "1"})}
	c := client(t, serve(t, f), func(o *promquery.Options) { o.MaxReplyBytes = 1 << 20 })
	results := c.Observe(t.Context(), []config.Dependency{dependency("bad_seconds"), dependency("good_seconds")}, noon)
	wantError(t, results[0].Err, promquery.KindTooLarge, "larger than 1 MiB")
	fresh(t, results[1])
}

// A connection that never comes about costs every query its whole timeout:
// after two of them the rest of the round is not asked.
func TestPacketsThatVanishEndTheRound(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never shakes hands
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	var asked int
	c := client(t, "https://"+silent.Addr().String(), func(o *promquery.Options) {
		o.Prometheus.QueryTimeout = 50 * time.Millisecond
		o.Prometheus.MaxConcurrentQueries = 1
		o.OnQuery = func(promquery.Outcome, time.Duration) { asked++ }
	})
	deps := make([]config.Dependency, 20)
	for i := range deps {
		deps[i] = dependency(fmt.Sprintf("seconds_%d", i))
	}
	for i, r := range c.Observe(t.Context(), deps, noon) {
		says := "no connection"
		if i >= 2 {
			says = "not sent: earlier queries waited in vain"
		}
		wantError(t, r.Err, promquery.KindUnreachable, says)
	}
	if asked != 2 {
		t.Errorf("%d queries were sent, want 2", asked)
	}
}
