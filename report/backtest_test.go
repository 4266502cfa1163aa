package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// pastOf is one day of a dependency; above gives for each hour how many of its
// 36,000 calls took longer than 250 ms, and a negative number that there are no
// data.
func pastOf(dep config.Dependency, above func(hour int) float64) audit.Backtest {
	var steps []audit.Input
	for hour := 1; hour <= 24; hour++ {
		at := reporttest.Start.Add(time.Duration(hour-24) * time.Hour)
		if n := above(hour); n < 0 {
			steps = append(steps, reporttest.Unseen(dep, at, latency.StatusQueryFailed, "cannot reach http://prometheus:9090"))
		} else {
			steps = append(steps, reporttest.Seen(dep, at, 36000, n))
		}
	}
	return audit.AssessBacktest(&dep, steps, audit.BacktestOptions{Timeouts: []float64{0.1, 0.5}})
}

func oneDay(overrides map[string]config.Rule) *report.Backtests {
	twice := func(hour int) float64 { return map[int]float64{7: 7200, 9: 3600}[hour] }
	without := reporttest.Dependency("no-timeout")
	without.Policy.Timeout, without.Policy.Deadline = 0, 0
	recorded := reporttest.Dependency("cut-by-itself")
	recorded.Latency.Timeouts = "recorded"
	return report.BuildBacktests(report.Backtests{Since: reporttest.Start.Add(-24 * time.Hour), Until: reporttest.Start, Step: time.Hour},
		[]audit.Backtest{
			pastOf(reporttest.Dependency("comfortable"), func(int) float64 { return 0 }),
			pastOf(reporttest.Dependency("slow-twice"), twice),
			pastOf(recorded, twice),
			pastOf(without, twice),
			pastOf(reporttest.Dependency("unanswered"), func(int) float64 { return -1 }),
			pastOf(reporttest.Dependency(reporttest.Hostile), func(hour int) float64 { return float64(-(hour % 2)) }),
		}, overrides)
}

func TestBacktestsAsTextMarkdownAndJSON(t *testing.T) {
	b := oneDay(nil)
	for name, write := range map[string]func(io.Writer) error{"backtest.txt": b.WriteText, "backtest.md": b.WriteMarkdown, "backtest.json": b.WriteJSON} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		goldenNumbers(t, name, out.String())
	}
}

func TestBacktestsFindByTheRulesInForce(t *testing.T) {
	if b := oneDay(nil); b.Worst() != rules.Critical || !b.Known() {
		t.Errorf("worst %s, known %t", b.Worst(), b.Known())
	}
	milder := map[string]config.Rule{"timeout-below-p99": {Severity: "off"}, "false-timeout-ratio-high": {Severity: "info"}}
	if b := oneDay(milder); b.Worst() != rules.Info {
		t.Errorf("worst %s with both rules turned down, want info", b.Worst())
	}
	none := report.BuildBacktests(report.Backtests{}, []audit.Backtest{pastOf(reporttest.Dependency("x"), func(int) float64 { return -1 })}, nil)
	if none.Known() || none.Worst() != rules.Off {
		t.Errorf("nothing is known, and the backtest says %t, %s", none.Known(), none.Worst())
	}
}

func TestMarkdownOfTheReport(t *testing.T) {
	for name, r := range map[string]*report.Report{"every-status.md": reporttest.EveryStatus(), "chain.md": reporttest.OverBudget()} {
		var out bytes.Buffer
		if err := r.WriteMarkdown(&out); err != nil {
			t.Fatal(err)
		}
		goldenNumbers(t, name, out.String())
	}
}

// A name must not become markup, a table cell, or a mention of somebody.
func TestMarkdownKeepsForeignTextInert(t *testing.T) {
	hostile := "<img src=x>|**bold**|[link](http://x)`code`@everyone\n# heading"
	r := reporttest.Cycle(nil, reporttest.Start, reporttest.Seen(reporttest.Dependency(hostile), reporttest.Start, 36000, 3600))
	var out bytes.Buffer
	if err := r.WriteMarkdown(&out); err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{"<img", "|**", "**bold", "[link]", " `code", "`code`", "@everyone", "\n# heading"} {
		if strings.Contains(out.String(), raw) {
			t.Errorf("%q stands in the Markdown:\n%s", raw, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "|") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 11 {
			t.Errorf("not ten cells: %s", line)
		}
	}
}
