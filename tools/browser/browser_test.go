package browser_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/tools/browser"
)

func TestTroubleAndForeignRequestsAreSeen(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `<!DOCTYPE html><link rel=icon href=data:,><img src="/missing"><img src="http://elsewhere.invalid/x">
<script>console.error("said", 7); throw new Error("thrown")</script>`)
	}))
	t.Cleanup(server.Close)
	b, err := browser.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	page, err := b.Open(browser.Visit{URL: server.URL, Look: browser.Look{Width: 320, Height: 200, Dark: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(page.Close)
	trouble := strings.Join(page.Trouble(), "\n")
	for _, want := range []string{"said 7", "thrown", "/missing"} {
		if !strings.Contains(trouble, want) {
			t.Errorf("no %q in what the console said:\n%s", want, trouble)
		}
	}
	if asked := strings.Join(page.Requests(), " "); !strings.Contains(asked, "http://elsewhere.invalid/x") {
		t.Errorf("the foreign request was not seen: %s", asked)
	}
	var seen struct {
		Width float64
		Dark  bool
	}
	if err := page.Evaluate(`({Width: innerWidth, Dark: matchMedia("(prefers-color-scheme: dark)").matches})`, &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Width != 320 || !seen.Dark {
		t.Errorf("the page sees %+v", seen)
	}
	if png, err := page.Picture(); err != nil || !strings.HasPrefix(string(png), "\x89PNG") {
		t.Errorf("picture of %d bytes, %v", len(png), err)
	}
}

func TestAMachineWithoutChromiumIsTold(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := browser.Start(t.Context()); !errors.Is(err, browser.ErrNoBrowser) || !strings.Contains(err.Error(), "apt-get install chromium") {
		t.Errorf("got %v", err)
	}
}
