package main

import (
	"net/http"
	"strings"
	"testing"
)

// The night on which Prometheus is down is the one on which somebody looks.
func TestDaemonShowsPagesWhilePrometheusIsDown(t *testing.T) {
	config := writeFile(t, "config.yaml", twoDependencies, "http://127.0.0.1:1")
	d := startDaemon(t, "--config.file="+config)
	d.eventually("the page says what failed", func() bool {
		status, page := d.get("/dependencies/search-index")
		return status == http.StatusOK && strings.Contains(page, "query-failed") && strings.Contains(page, "</html>")
	})
	_, page := d.get("/dependencies/search-index")
	for _, want := range []string{"Nothing is known about it now", "Prometheus did not answer", "history query", "What Prometheus was asked"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestDaemonLinksAsItsExternalURLSays(t *testing.T) {
	config := writeFile(t, "config.yaml", twoDependencies, cannedPrometheus(t).URL)
	for name, tc := range map[string]struct {
		args              []string
		served, linked    string
		notServed, chosen string
	}{
		"the path of the URL":      {[]string{"--web.external-url=https://example.com/timeouts/"}, "/timeouts/", "/timeouts/assets/", "/calc", "/timeouts/calc"},
		"a proxy takes it away":    {[]string{"--web.external-url=https://example.com/timeouts/", "--web.route-prefix=/"}, "/", "/timeouts/assets/", "/timeouts/calc", "/calc"},
		"a prefix and no URL":      {[]string{"--web.route-prefix=/x"}, "/x/", "/x/assets/", "/calc", "/x/calc"},
		"neither: the root itself": {nil, "/", `"/assets/`, "/x/calc", "/calc"},
	} {
		t.Run(name, func(t *testing.T) {
			d := startDaemon(t, append(tc.args, "--config.file="+config)...)
			if status, page := d.get(tc.served); status != http.StatusOK || !strings.Contains(page, tc.linked) {
				t.Errorf("%s: status %d, links to %q wanted", tc.served, status, tc.linked)
			}
			if status, _ := d.get(tc.chosen); status != http.StatusOK {
				t.Errorf("%s: status %d", tc.chosen, status)
			}
			if status, _ := d.get(tc.notServed); status != http.StatusNotFound {
				t.Errorf("%s: status %d", tc.notServed, status)
			}
		})
	}
}
