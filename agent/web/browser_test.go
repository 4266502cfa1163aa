package web_test

import (
	"context"
	_ "embed"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
	"github.com/timeout-auditor/timeout-auditor/tools/browser"
)

//go:embed testdata/axe/axe.min.js
var axe string

// chromium is one browser for all tests of this file.
func chromium(t *testing.T) *browser.Browser {
	t.Helper()
	b, err := browser.Start(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	return b
}

func richServer(t *testing.T) *httptest.Server {
	t.Helper()
	r := rich(t)
	return serve(t, func(o *web.Options) {
		o.Report = func() *report.Report { return r }
		o.History = func(_ context.Context, q web.HistoryQuestion) (web.History, error) { return steady(q), nil }
		o.PrometheusURL = func() string { return "http://prometheus.example:9090" }
		o.Runbooks = "https://example.com/runbooks/"
	})
}

var (
	wide   = browser.Look{Width: 1280, Height: 900}
	narrow = browser.Look{Width: 390, Height: 844}
)

func dark(l browser.Look) browser.Look { l.Dark = true; return l }

func open(t *testing.T, b *browser.Browser, v browser.Visit) *browser.Page {
	t.Helper()
	if v.Look == (browser.Look{}) {
		v.Look = wide
	}
	page, err := b.Open(v)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(page.Close)
	return page
}

func evaluate[T any](t *testing.T, page *browser.Page, expression string) T {
	t.Helper()
	var result T
	if err := page.Evaluate(expression, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

func named(kind, name string) string { return "/" + kind + "/?name=" + url.QueryEscape(name) }

// pagesToLookAt are one of each kind, with every status and what is hard to lay
// out.
func pagesToLookAt() map[string]string {
	return map[string]string{
		"overview":             "/",
		"overview filtered":    "/?verdict=critical&sort=fallbacks&owner=team-pay",
		"nothing matches":      "/?q=nobody",
		"below p99":            "/dependencies/below-p99",
		"fine, with a what-if": "/dependencies/worked?timeout=2s&retries=2&history=1d",
		"wrong what-if":        "/dependencies/worked?timeout=soon&retries=-1",
		"undecided":            "/dependencies/undecided",
		"thin":                 "/dependencies/thin",
		"gone":                 "/dependencies/gone",
		"never known":          "/dependencies/never",
		"query failed":         "/dependencies/unanswered",
		"dropped, unseen":      "/dependencies/dropped?timeout=1s",
		"auto, with layers":    "/dependencies/auto",
		"whole calls":          "/dependencies/calls",
		"no timeout":           "/dependencies/unlimited",
		"hostile":              named("dependencies", reporttest.Hostile),
		"500 characters":       named("dependencies", strings.Repeat("abcdefghij", 50)),
		"right to left":        named("dependencies", "مرحبا بالعالم"),
		"chain":                "/chains/product-page",
		"hostile chain":        named("chains", reporttest.Hostile),
		"calculators":          "/calc",
		"fallbacks":            "/calc?calculator=fallback&p50=180ms&p99=1.4s&timeout=2s&retries=2&calls-per-day=400000",
		"timeouts and budgets": "/calc?calculator=timeout&p50=180ms&p99=1.4s&timeout=2s",
		"budgets":              "/calc?calculator=budget&deadline=2s&hops=4&p99=300ms&rate=100&retries=1",
		"wrong calculator":     "/calc?calculator=budget&deadline=2s&hops=none",
		"not found":            "/dependencies/nobody",
	}
}

// accessible runs axe and returns what it finds, a line each.
func accessible(t *testing.T, page *browser.Page) []string {
	t.Helper()
	return evaluate[[]string](t, page, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.flatMap(v =>
		v.nodes.map(n => v.id + ": " + v.help + " at " + n.target.join(" ") + " " + n.html.slice(0, 160) + " " + (n.any[0]?.message ?? ""))))`)
}

// ofItsOwn reports whether a page has colours that the others do not have, so
// that contrast is worth a second look in the dark.
func ofItsOwn(name string) bool {
	return slices.Contains([]string{"overview", "below p99", "fine, with a what-if", "wrong what-if", "gone", "chain", "fallbacks"}, name)
}

// Every page in light and dark, wide and narrow: laid out within its window,
// without a complaint of the console, a request to another host or a violation
// that axe finds.
func TestEveryPageInARealBrowser(t *testing.T) {
	server, b := richServer(t), chromium(t)
	for name, path := range pagesToLookAt() {
		t.Run(name, func(t *testing.T) {
			page := open(t, b, browser.Visit{URL: server.URL + path})
			evaluate[bool](t, page, axe+`; document.querySelectorAll("details").forEach(d => d.open = true); true`)
			for _, look := range []browser.Look{wide, dark(wide), narrow, dark(narrow)} {
				if err := page.Look(look); err != nil {
					t.Fatal(err)
				}
				if extra := evaluate[float64](t, page, "document.documentElement.scrollWidth - innerWidth"); extra > 0 {
					t.Errorf("%+v: the page is %v pixels wider than its window", look, extra)
				}
				if look == wide || look == dark(narrow) && ofItsOwn(name) {
					for _, violation := range accessible(t, page) {
						t.Errorf("%+v: %s", look, violation)
					}
				}
			}
			for _, trouble := range page.Trouble() {
				if name != "not found" || !strings.Contains(trouble, "404") {
					t.Error(trouble)
				}
			}
			for _, address := range page.Requests() {
				if !strings.HasPrefix(address, server.URL+"/") {
					t.Errorf("asked another host: %s", address)
				}
			}
		})
	}
}

// The check itself is worth something: it sees what is wrong here.
func TestAxeSeesWhatItShould(t *testing.T) {
	page := open(t, chromium(t), browser.Visit{URL: richServer(t).URL + "/calc"})
	evaluate[bool](t, page, axe+`; document.querySelector("label").remove(); document.querySelector("h1").append(new Image()); true`)
	found := strings.Join(accessible(t, page), "\n")
	for _, want := range []string{"label:", "image-alt:"} {
		if !strings.Contains(found, want) {
			t.Errorf("no %s in %q", want, found)
		}
	}
}

// Themes differ, and either has ink that differs from its paper.
func TestSystemDecidesOnLightOrDark(t *testing.T) {
	page := open(t, chromium(t), browser.Visit{URL: richServer(t).URL + "/dependencies/worked"})
	const colours = `[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector(".chart .steps")).stroke].join()`
	light := evaluate[string](t, page, colours)
	if err := page.Look(dark(wide)); err != nil {
		t.Fatal(err)
	}
	if night := evaluate[string](t, page, colours); night == light {
		t.Errorf("%s in the light and in the dark", light)
	}
}

// Typing changes the numbers in place to what the calculator says, and the
// address to one that gives the same page again.
func TestWhatIfAnswersWhileOneTypes(t *testing.T) {
	server := richServer(t)
	page := open(t, chromium(t), browser.Visit{URL: server.URL + "/dependencies/worked"})
	const typed = `new Promise(done => {
		new MutationObserver(() => done(document.getElementById("what-if-answer").innerText)).observe(document.getElementById("what-if-answer"), {childList: true});
		document.querySelector("[name=retries]").value = "2";
		const timeout = document.querySelector("[name=timeout]");
		timeout.value = "2s";
		timeout.dispatchEvent(new Event("input", {bubbles: true}));
	})`
	answer := evaluate[string](t, page, typed)
	want := byHand(t)
	for _, number := range []string{figure.Ratio(want.FalseTimeoutRatio), figure.Ratio(want.FallbackRatio), figure.Multiple(want.AmplificationRatio)} {
		if !strings.Contains(answer, number) {
			t.Errorf("no %s in %q", number, answer)
		}
	}
	const address = `new Promise(done => { const look = () => location.search.includes("timeout=2s") ? done(location.href) : setTimeout(look, 20); look() })`
	again := open(t, chromium(t), browser.Visit{URL: evaluate[string](t, page, address), NoScripts: true})
	if same := evaluate[string](t, again, `document.getElementById("what-if-answer").innerText`); same != answer {
		t.Errorf("the shared address says %q, not %q", same, answer)
	}
	if trouble := page.Trouble(); len(trouble) > 0 {
		t.Error(trouble)
	}
}

// Whoever has no mouse reaches all links, inputs and tables that scroll, and
// sees where he is.
func TestEverythingIsReachedByKeyboard(t *testing.T) {
	page := open(t, chromium(t), browser.Visit{URL: richServer(t).URL + "/", Look: narrow})
	unreachable := evaluate[[]string](t, page, `[...document.querySelectorAll("a, input:not([type=hidden]), select, button, .scroll")]
		.filter(e => e.tabIndex < 0).map(e => e.outerHTML.slice(0, 100))`)
	if len(unreachable) > 0 {
		t.Errorf("not reached by keyboard: %v", unreachable)
	}
	if outline := evaluate[string](t, page, `(() => { const a = document.querySelector("main a"); a.focus({focusVisible: true}); return getComputedStyle(a).outlineStyle })()`); outline == "none" {
		t.Error("one does not see where the focus is")
	}
}

// What a name brings along stays text: no element, no handler, no dialog.
func TestWickedNamesStayInert(t *testing.T) {
	server, b := richServer(t), chromium(t)
	page := open(t, b, browser.Visit{URL: server.URL + "/"})
	if foreign := evaluate[int](t, page, `document.querySelectorAll("main img, main script, [onerror]").length`); foreign > 0 {
		t.Errorf("%d elements that a name made", foreign)
	}
	names := evaluate[[]string](t, page, `[...document.querySelectorAll(".overview tbody th .name")].map(e => e.textContent)`)
	if len(names) != len(rich(t).Dependencies) {
		t.Errorf("%d names, want one for each dependency", len(names))
	}
	if rows := evaluate[float64](t, page, `Math.max(...[...document.querySelectorAll(".overview tbody tr")].map(e => e.offsetHeight))`); rows > 400 {
		t.Errorf("a row is %v pixels high", rows)
	}
}
