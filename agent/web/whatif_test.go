package web_test

import (
	"html"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/calc"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// answered are the what-if's figures as asked, by key; the columns are as
// declared, as asked.
func answered(t *testing.T, page string) map[string]float64 {
	t.Helper()
	_, table, _ := strings.Cut(page, `id="what-if-answer"`)
	table, _, _ = strings.Cut(table, "</table>")
	all := map[string]float64{}
	for row := range strings.SplitSeq(table, "<tr>") {
		cells := strings.Split(row, "<td>")
		if len(cells) < 3 {
			continue
		}
		for _, match := range shownFigure.FindAllStringSubmatch(cells[2], -1) {
			x, err := strconv.ParseFloat(match[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			all[match[2]] = x
		}
	}
	return all
}

func askWhatIf(t *testing.T, name string, v url.Values) string {
	t.Helper()
	r := rich(t)
	server := serve(t, func(o *web.Options) { o.Report = func() *report.Report { return r } })
	status, _, page := request(t, "GET", server.URL+"/dependencies/"+name+"?"+v.Encode())
	if status != 200 {
		t.Fatalf("status %d", status)
	}
	return page
}

// byHand is what the calculator says of the worked example.
func byHand(t *testing.T) calc.Fallback {
	t.Helper()
	f, err := calc.FallbackInput{
		P50: workedP50, P99: workedP99, Timeout: 2, Retries: 2, RetryOnTimeout: true,
		Correlation: 0.5, ErrorRatio: 0.004,
	}.Calculate()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The buckets hold the lognormal of the worked example, so what the counts say
// about 2 s and what the calculator says are one.
func TestWhatIfSaysWhatTheCalculatorSays(t *testing.T) {
	page := askWhatIf(t, "worked", url.Values{"timeout": {"2s"}, "retries": {"2"}, "correlation": {"0.5"}})
	got, want := answered(t, page), byHand(t)
	for key, value := range map[string]float64{
		"false_timeout.ratio": want.FalseTimeoutRatio, "fallback.ratio": want.FallbackRatio, "amplification.ratio": want.AmplificationRatio,
	} {
		if math.Abs(got[key]-value) > 1e-9 {
			t.Errorf("%s is %v, the calculator says %v", key, got[key], value)
		}
	}
	if !strings.Contains(page, ">"+figure.Ratio(want.FallbackRatio)+"</data>") || figure.Ratio(want.FallbackRatio) != "0.358%" {
		t.Errorf("the page does not print %s", figure.Ratio(want.FallbackRatio))
	}
}

func TestWhatIfLeadsToTheCalculatorWithItsNumbers(t *testing.T) {
	page := askWhatIf(t, "worked", url.Values{"timeout": {"2s"}, "retries": {"2"}})
	link := regexp.MustCompile(`<a href="(/calc\?[^"]*)">The same by hand`).FindStringSubmatch(page)
	if link == nil {
		t.Fatal("no link to the calculator")
	}
	status, _, answer := request(t, "GET", serve(t, nil).URL+html.UnescapeString(link[1]))
	if status != 200 || !strings.Contains(answer, "0.3579%") || !strings.Contains(answer, "--timeout=2s --retries=2") {
		t.Errorf("status %d, the calculator does not answer:\n%s", status, answer)
	}
}

func TestWhatIfKeepsToItsBounds(t *testing.T) {
	for name, tc := range map[string]struct {
		input, value, want string
	}{
		"no duration":           {"timeout", "fast", "must be a duration above 0"},
		"no time at all":        {"timeout", "0s", "must be a duration above 0"},
		"more than a day":       {"timeout", "25h", "at most 24h"},
		"negative":              {"deadline", "-1s", "must be a duration above 0"},
		"too many retries":      {"retries", "101", "must be a whole number from 0 to 100"},
		"half a retry":          {"retries", "1.5", "must be a whole number"},
		"correlation above one": {"correlation", "1.1", "must be a number from 0 to 1"},
		"no number":             {"correlation", "NaN", "must be a number from 0 to 1"},
		"backoff":               {"backoff", "-1ms", "must be a duration from 0s to 24h"},
		"markup":                {"timeout", `"><script>alert(1)</script>`, "&lt;script&gt;"},
	} {
		t.Run(name, func(t *testing.T) {
			page := askWhatIf(t, "worked", url.Values{tc.input: {tc.value}, "retries": {"3"}, tc.input + "x": {"1"}})
			if tc.input == "retries" {
				page = askWhatIf(t, "worked", url.Values{tc.input: {tc.value}})
			}
			if !strings.Contains(page, tc.want) || !strings.Contains(page, `aria-invalid="true"`) || !strings.Contains(page, "Not worked out") {
				t.Errorf("no refusal with %q", tc.want)
			}
			if strings.Contains(page, "<script>alert") || len(answered(t, page)) > 0 {
				t.Error("wrong input was answered")
			}
		})
	}
}

func TestWhatIfOfNothingIsAsDeclared(t *testing.T) {
	for name, v := range map[string]url.Values{"no question": {}, "empty inputs": {"timeout": {""}, "retries": {" "}}} {
		if page := askWhatIf(t, "worked", v); len(answered(t, page)) > 0 || strings.Contains(page, "As asked") {
			t.Errorf("%s was answered", name)
		}
	}
	page := askWhatIf(t, "worked", url.Values{"timeout": {"1s"}, "retries": {"0"}})
	got := answered(t, page)
	if _, declared, _ := strings.Cut(page, "As asked"); !strings.Contains(declared, strconv.FormatFloat(got["false_timeout.ratio"], 'g', -1, 64)) || len(got) < 6 {
		t.Errorf("the declared policy asked about: %v", got)
	}
}

// Beyond a timeout that bent its own histogram a figure would be made up.
func TestWhatIfSaysWhatItCannotKnow(t *testing.T) {
	page := askWhatIf(t, "dropped", url.Values{"timeout": {"1s"}})
	if got := answered(t, page); !strings.Contains(page, "All that is sure") || got["false_timeout.ratio"] != 0 || got["fallback.ratio"] != 0 {
		t.Errorf("answered %v", got)
	}
	if page := askWhatIf(t, "dropped", url.Values{"retries": {"0"}}); answered(t, page)["amplification.ratio"] != 1 {
		t.Error("the timeout in force can be asked about, with other retries")
	}
	if page := askWhatIf(t, "never", url.Values{"timeout": {"1s"}}); strings.Contains(page, "What if") {
		t.Error("a what-if on a dependency of which nothing is known")
	}
}

func TestWhatIfWithoutATimeout(t *testing.T) {
	page := askWhatIf(t, "worked", url.Values{"timeout": {"none"}})
	if got := answered(t, page); got["false_timeout.ratio"] != 0 || got["amplification.ratio"] < 1 || !strings.Contains(page, "nothing bounds it") {
		t.Errorf("answered %v", got)
	}
}

// The report is shared with every other reader: a question must not change it.
func TestWhatIfLeavesTheReportAsItWas(t *testing.T) {
	r := rich(t)
	server := serve(t, func(o *web.Options) { o.Report = func() *report.Report { return r } })
	for _, name := range []string{"worked", "dropped"} {
		address := server.URL + "/dependencies/" + name
		_, _, before := request(t, "GET", address)
		_, _, asked := request(t, "GET", address+"?timeout=1500ms&retries=7&correlation=0.9")
		if _, _, after := request(t, "GET", address); after != before || asked == before {
			t.Errorf("%s: the page changed after a question, or did not with it", name)
		}
	}
}
