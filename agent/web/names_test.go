package web_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// Following the links of the overview leads to a page for every name, whatever
// the name holds, also behind a prefix.
func TestLinksFindEveryName(t *testing.T) {
	r := rich(t)
	for _, prefix := range []string{"", "/timeouts"} {
		server := serve(t, func(o *web.Options) {
			o.Report, o.RoutePrefix = func() *report.Report { return r }, prefix
		})
		_, _, overview := request(t, "GET", server.URL+prefix+"/")
		links := regexp.MustCompile(`<th scope="row"><a href="([^"]*)">`).FindAllStringSubmatch(overview, -1)
		if want := len(r.Dependencies) + len(r.Chains); len(links) != want {
			t.Fatalf("%d links, want %d", len(links), want)
		}
		titles := map[string]bool{}
		for _, link := range links {
			address := html.UnescapeString(link[1])
			if !strings.HasPrefix(address, prefix+"/") {
				t.Errorf("%s leaves the prefix", address)
			}
			status, _, page := request(t, "GET", server.URL+address)
			title := regexp.MustCompile(`(?s)<h1>.*?<bdi class="name">(.*?)</bdi></h1>`).FindStringSubmatch(page)
			if status != 200 || title == nil {
				t.Errorf("%s: status %d, title %v", address, status, title)
				continue
			}
			kind, _, _ := strings.Cut(strings.TrimPrefix(address, prefix+"/"), "/")
			titles[kind+" "+title[1]] = true
		}
		if len(titles) != len(links) {
			t.Errorf("%d links lead to %d different pages", len(links), len(titles))
		}
	}
}

func TestUnknownNamesAreNotFound(t *testing.T) {
	server := serve(t, nil)
	for _, path := range []string{"/dependencies/nobody", "/dependencies/", "/chains/nobody", "/dependencies/%3Cscript%3E"} {
		status, _, page := request(t, "GET", server.URL+path)
		if status != 404 || !strings.Contains(page, "No such") || strings.Contains(page, "<script>") {
			t.Errorf("%s: status %d:\n%s", path, status, page)
		}
	}
}

// A proxy that takes a path away shows pages under another one than is served.
func TestLinksAreAsTheBrowserSeesThem(t *testing.T) {
	server := serve(t, func(o *web.Options) { o.LinkPrefix = "/behind/proxy" })
	_, _, page := request(t, "GET", server.URL+"/")
	for _, want := range []string{`href="/behind/proxy/dependencies/thin"`, `href="/behind/proxy/assets/style.css?v=`, `action="/behind/proxy/"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s on the page", want)
		}
	}
}

func TestWhatTurnsTextAroundIsMadeVisible(t *testing.T) {
	r := rich(t)
	_, _, page := request(t, "GET", serve(t, func(o *web.Options) { o.Report = func() *report.Report { return r } }).URL+"/")
	if strings.ContainsAny(page, "\u202e\x1b") {
		t.Error("an override of the writing direction or an escape reached the page as text")
	}
	if !strings.Contains(page, "مرحبا بالعالم") {
		t.Error("a name in Arabic letters was changed")
	}
}
