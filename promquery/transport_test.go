package promquery_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

func TestReplyOfExactlyTheLargestSizeIsRead(t *testing.T) {
	reply := `{"status":"success","data":{"resultType":"vector","result":[]}}`
	for _, tc := range []struct {
		name string
		max  int
		kind promquery.Kind
	}{
		{"as large as allowed", len(reply), promquery.KindNoData},
		{"a byte more", len(reply) - 1, promquery.KindTooLarge},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := client(t, serve(t, text(200, "application/json", reply)), func(o *promquery.Options) { o.MaxReplyBytes = int64(tc.max) })
			r := c.Observe(t.Context(), []config.Dependency{dependency("a_seconds")}, noon)[0]
			wantError(t, r.Err, tc.kind, "")
		})
	}
}

func TestRedirectThatKeepsTheQueryIsFollowed(t *testing.T) {
	moved := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, old := strings.CutPrefix(r.URL.Path, "/old"); old {
			http.Redirect(w, r, "/new"+rest, http.StatusPermanentRedirect)
			return
		}
		fake{}.ServeHTTP(w, r)
	})
	c := client(t, serve(t, moved)+"/old", nil)
	fresh(t, c.Observe(t.Context(), []config.Dependency{dependency("a_seconds")}, noon)[0])
}

func TestRedirectIsSaidWhereNoneMayBeFollowed(t *testing.T) {
	c := client(t, serve(t, redirect(308, "/elsewhere")), func(o *promquery.Options) {
		o.Prometheus.HTTPClient.FollowRedirects = false
	})
	r := c.Observe(t.Context(), []config.Dependency{dependency("a_seconds")}, noon)[0]
	wantError(t, r.Err, promquery.KindUnreachable, "follow_redirects is off")
}
