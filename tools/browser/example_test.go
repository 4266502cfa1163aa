package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/timeout-auditor/timeout-auditor/tools/browser"
)

// A page of a server, as the browser understands it.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<title>hello</title><link rel=icon href=data:,>")
	}))
	defer server.Close()
	b, err := browser.Start(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Stop()
	page, err := b.Open(browser.Visit{URL: server.URL, Look: browser.Look{Width: 800, Height: 600}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer page.Close()
	var title string
	if err := page.Evaluate("document.title", &title); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(title, len(page.Requests()), page.Trouble())
	// Output: hello 1 []
}
