package web_test

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/agent/web/chart"
	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

// steady is a history of a p99 that doubles in the middle.
func steady(q web.HistoryQuestion) web.History {
	h := web.History{Query: latency.Query{PromQL: latency.Words(`max by (__name__) ({dependency="x"})`), Start: q.Start, End: q.End, Step: q.Step}}
	for at := q.Start; !at.After(q.End); at = at.Add(q.Step) {
		p99 := 0.2
		if at.After(q.Start.Add(q.End.Sub(q.Start) / 2)) {
			p99 = 0.4
		}
		h.P99 = append(h.P99, chart.Sample{At: at, Value: p99})
		h.Timeout = append(h.Timeout, chart.Sample{At: at, Value: 0.25})
		h.Ratio = append(h.Ratio, chart.Sample{At: at, Value: 0.01})
		h.Lower = append(h.Lower, chart.Sample{At: at, Value: 0})
		h.Upper = append(h.Upper, chart.Sample{At: at, Value: 0.02})
	}
	return h
}

func TestHistoryIsShownOrSaysWhyNot(t *testing.T) {
	asked := web.HistoryQuestion{}
	for name, tc := range map[string]struct {
		history func(context.Context, web.HistoryQuestion) (web.History, error)
		query   string
		want    []string
	}{
		"as it was": {
			func(_ context.Context, q web.HistoryQuestion) (web.History, error) { return steady(q), nil }, "",
			[]string{"p99: 200ms to 400ms. Timeout: 250ms throughout.", `href="http://prom.example/p/graph?g0.end_input=`, `<strong aria-current="true">6h`},
		},
		"another span, the what-if kept": {
			func(_ context.Context, q web.HistoryQuestion) (web.History, error) { asked = q; return steady(q), nil }, "?history=1w&retries=1",
			[]string{`<strong aria-current="true">1w`, `href="?history=1h&amp;retries=1#history"`},
		},
		"nothing scraped": {
			func(context.Context, web.HistoryQuestion) (web.History, error) { return web.History{}, nil }, "",
			[]string{"Does it scrape the auditor?"},
		},
		"Prometheus down": {
			func(context.Context, web.HistoryQuestion) (web.History, error) {
				return web.History{}, errors.New("connection refused")
			}, "",
			[]string{"Prometheus did not answer: connection refused"},
		},
		"no history at all": {nil, "", []string{"What Prometheus was asked"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(o *web.Options) {
				o.History, o.PrometheusURL = tc.history, func() string { return "http://user:secret@prom.example/p/" }
			})
			status, _, page := request(t, "GET", server.URL+"/dependencies/comfortable"+tc.query)
			for _, want := range append(tc.want, "Every step with its numbers", "</html>") {
				if !strings.Contains(page, want) {
					t.Errorf("status %d, no %q", status, want)
				}
			}
			if strings.Contains(page, "secret") {
				t.Error("a password of the URL reached the page")
			}
		})
	}
	if asked.Dependency != "comfortable" || asked.End.Sub(asked.Start) != 7*24*time.Hour {
		t.Errorf("asked %+v", asked)
	}
}

// A Prometheus that hangs holds up the history alone: the verdict is there
// before it answers.
func TestPageDoesNotWaitForPrometheus(t *testing.T) {
	release := make(chan struct{})
	server := serve(t, func(o *web.Options) {
		o.History = func(ctx context.Context, _ web.HistoryQuestion) (web.History, error) {
			select {
			case <-release:
				return web.History{}, errors.New("at last")
			case <-ctx.Done():
				return web.History{}, ctx.Err()
			}
		}
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/dependencies/below-p99", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	found := false
	for !found && lines.Scan() {
		found = strings.Contains(lines.Text(), "Declared, and what takes effect")
	}
	if !found {
		t.Fatal("the page ended before its policy")
	}
	close(release)
	for found = false; !found && lines.Scan(); {
		found = strings.Contains(lines.Text(), "at last")
	}
	if !found {
		t.Error("the answer that came late is not on the page")
	}
}

func TestBacktestIsAskedForByALinkAlone(t *testing.T) {
	asked := 0
	server := serve(t, func(o *web.Options) {
		o.Backtest = func(_ context.Context, dependency string) (*report.Backtests, error) {
			asked++
			if dependency == "thin" {
				return nil, errors.New("no <data> that old")
			}
			dep := reporttest.Dependency(dependency)
			var hours []audit.Input
			for hour := range 24 {
				hours = append(hours, reporttest.Seen(dep, reporttest.Start.Add(time.Duration(hour-24)*time.Hour), 36000, 3600))
			}
			return report.BuildBacktests(report.Backtests{Since: reporttest.Start.Add(-24 * time.Hour), Until: reporttest.Start, Step: time.Hour},
				[]audit.Backtest{audit.AssessBacktest(&dep, hours, audit.BacktestOptions{})}, nil), nil
		}
	})
	_, _, page := request(t, "GET", server.URL+"/dependencies/comfortable?timeout=1s")
	if asked != 0 || !strings.Contains(page, `href="?backtest=&amp;timeout=1s#backtest"`) {
		t.Errorf("asked %d times before anybody wanted it, or no link to it", asked)
	}
	for name, want := range map[string]string{
		"comfortable": "the timeout 250ms lay below p99 in 24 of 24 windows of 1h", "thin": "no &lt;data&gt; that old",
	} {
		if _, _, page := request(t, "GET", server.URL+"/dependencies/"+name+"?backtest="); !strings.Contains(page, want) {
			t.Errorf("%s: no %q", name, want)
		}
	}
}
