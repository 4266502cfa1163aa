package web_test

import (
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/calc"
)

func TestCalculatorsSayWhatTheCommandLineSays(t *testing.T) {
	server := serve(t, nil)
	for name, tc := range map[string]struct {
		ask    string
		answer func(calc.Values) (interface{ Cells() [][]string }, error)
		values calc.Values
	}{
		"fallback": {
			"p50=180ms&p99=1.4s&timeout=2s&retries=2&correlation=0.5&error-ratio=0.004&calls-per-day=400000",
			func(v calc.Values) (interface{ Cells() [][]string }, error) {
				in, err := calc.FallbackFrom(v)
				if err != nil {
					return nil, err
				}
				return in.Calculate()
			},
			calc.Values{"p50": {"180ms"}, "p99": {"1.4s"}, "timeout": {"2s"}, "retries": {"2"}, "correlation": {"0.5"}, "error-ratio": {"0.004"}, "calls-per-day": {"400000"}},
		},
		"timeout": {
			"p50=180ms&sigma=0.8&timeout=1s,+2s",
			func(v calc.Values) (interface{ Cells() [][]string }, error) {
				in, err := calc.TimeoutFrom(v)
				if err != nil {
					return nil, err
				}
				return in.Calculate()
			},
			calc.Values{"p50": {"180ms"}, "sigma": {"0.8"}, "timeout": {"1s", "2s"}},
		},
		"budget": {
			"deadline=2s&hops=3&retries=1&overhead=5ms&p99=300ms+5ms+400ms&rate=1000",
			func(v calc.Values) (interface{ Cells() [][]string }, error) {
				in, err := calc.BudgetFrom(v)
				if err != nil {
					return nil, err
				}
				return in.Calculate()
			},
			calc.Values{"deadline": {"2s"}, "hops": {"3"}, "retries": {"1"}, "overhead": {"5ms"}, "p99": {"300ms", "5ms", "400ms"}, "rate": {"1000"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := tc.answer(tc.values)
			if err != nil {
				t.Fatal(err)
			}
			status, _, page := request(t, "GET", server.URL+"/calc?calculator="+name+"&"+tc.ask)
			page = html.UnescapeString(page)
			for _, row := range want.Cells() {
				for _, cell := range row {
					if cell != "" && !strings.Contains(page, ">"+cell+"<") {
						t.Errorf("status %d, no cell %q", status, cell)
					}
				}
			}
			if !strings.Contains(page, "timeout-auditor calc "+name+" --") {
				t.Error("the command is not there")
			}
		})
	}
}

func TestCalculatorsRefuseAtTheInput(t *testing.T) {
	server := serve(t, nil)
	for name, tc := range map[string]struct{ ask, want string }{
		"missing":  {"calculator=fallback&p50=180ms&p99=1.4s", `aria-describedby="fallback-timeout-help"> <span class="error" id="fallback-timeout-help">is required`},
		"no p99":   {"calculator=timeout&p50=180ms", `<span class="error" id="timeout-p99-help">is required, or sigma in its place`},
		"too many": {"calculator=budget&deadline=1s&hops=3&p99=1s+2s", `<span class="error" id="budget-p99-help">must be given once`},
		"markup":   {"calculator=fallback&p50=" + url.QueryEscape("<script>alert(1)</script>"), "&lt;script&gt;alert(1)&lt;/script&gt;"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, page := request(t, "GET", server.URL+"/calc?"+tc.ask)
			if status != 200 || !strings.Contains(page, tc.want) || strings.Contains(page, "<script>alert") {
				t.Errorf("status %d, no %q", status, tc.want)
			}
		})
	}
}

func TestShownCommandCanBePasted(t *testing.T) {
	_, _, page := request(t, "GET", serve(t, nil).URL+"/calc?calculator=fallback&p50=1s&p99=2s&timeout=3s&calls-per-day="+url.QueryEscape("1e3")+"&retry-on-timeout=false")
	const want = "timeout-auditor calc fallback --p50=1s --p99=2s --timeout=3s --retries=0 --correlation=0.5 --error-ratio=0 --calls-per-day=1e3 --retry-on-timeout=false"
	if !strings.Contains(page, "<code>"+want+"</code>") {
		t.Errorf("no command %s", want)
	}
}
