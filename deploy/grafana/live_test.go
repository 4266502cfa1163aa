package grafana_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	promapi "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// scraped is a configuration of Prometheus with the auditor as its only target,
// under two names: as two replicas are.
const scraped = `global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: timeout-auditor
    static_configs: [{targets: ["127.0.0.1:%[1]s", "localhost:%[1]s"]}]
`

// observed is a real Prometheus that scrapes a real auditor, which asks it.
type observed struct {
	t       *testing.T
	api     promapi.API
	auditor string // its URL; empty where none runs
}

func connect(t *testing.T, url string) observed {
	t.Helper()
	client, err := api.NewClient(api.Config{Address: url})
	if err != nil {
		t.Fatal(err)
	}
	return observed{t: t, api: promapi.NewAPI(client)}
}

func observe(t *testing.T) observed {
	t.Helper()
	recorded := newPast()
	recorded.calls()
	p := recorded.start(t)
	port := startAuditor(t, fmt.Sprintf(audited, p.URL))
	if err := os.WriteFile(p.ConfigFile, fmt.Appendf(nil, scraped, port), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := connect(t, p.URL)
	o.auditor = "http://127.0.0.1:" + port
	return o
}

// fallbacksPerDay is what the auditor's own report says of a dependency.
func (o observed) fallbacksPerDay(dependency string) float64 {
	o.t.Helper()
	resp, err := http.Get(o.auditor + "/api/v1/report")
	if err != nil {
		o.t.Fatal(err)
	}
	defer resp.Body.Close()
	var report struct {
		Dependencies []struct {
			Dependency string
			Figures    struct {
				Fallback struct {
					PerDay float64 `json:"per_day"`
				}
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&report); err != nil {
		o.t.Fatal(err)
	}
	for _, d := range report.Dependencies {
		if d.Dependency == dependency {
			return d.Figures.Fallback.PerDay
		}
	}
	o.t.Fatalf("the report has no dependency %s: %+v", dependency, report)
	return 0
}

// ask runs a query as Grafana would: over a range, or at its end.
func (o observed) ask(q target, values chosen) []float64 {
	o.t.Helper()
	expr, now := values.fill(q.Expr), time.Now()
	if q.Range {
		answer, warnings, infos, err := o.api.QueryRange(o.t.Context(), expr, promapi.Range{Start: now.Add(-time.Minute), End: now, Step: 5 * time.Second})
		if err != nil || len(warnings)+len(infos) > 0 {
			o.t.Fatalf("%v %v %v: %s", err, warnings, infos, expr)
		}
		var known []float64
		for _, series := range answer.(model.Matrix) {
			if last := float64(series.Values[len(series.Values)-1].Value); !math.IsNaN(last) {
				known = append(known, last)
			}
		}
		return known
	}
	var known []float64
	for _, sample := range o.vector(expr, now) {
		known = append(known, float64(sample.Value))
	}
	return known
}

func (o observed) vector(expr string, at time.Time) model.Vector {
	o.t.Helper()
	answer, warnings, infos, err := o.api.Query(o.t.Context(), expr, at)
	if err != nil || len(warnings)+len(infos) > 0 {
		o.t.Fatalf("%v %v %v: %s", err, warnings, infos, expr)
	}
	return answer.(model.Vector)
}

// find returns the one query of a panel that is shown under a name.
func (b board) find(t *testing.T, title, legend string) target {
	t.Helper()
	for _, q := range b.questions() {
		if q.panel.Title == title && (q.target.LegendFormat == legend || q.name() == legend) {
			return q.target
		}
	}
	t.Fatalf("panel %q has no query %q", title, legend)
	return target{}
}

// alone is the value of an answer with one series.
func alone(t *testing.T, what string, values []float64) float64 {
	t.Helper()
	if len(values) != 1 {
		t.Fatalf("%s gives %v, want one value", what, values)
	}
	return values[0]
}

func TestEveryPanelHasSomethingToShowOfARealAuditor(t *testing.T) {
	b, o := load(t), observe(t)
	// What is measured by counters has no target, and what has one is not measured.
	values, other := b.everything("checkout-payments"), b.everything("search-index")
	missing := b.questions()
	eventually(t, func() string { return fmt.Sprintf("these return nothing:\n%v", missing) }, func() bool {
		var still []question
		for _, q := range missing {
			if len(o.ask(q.target, values)) == 0 && len(o.ask(q.target, other)) == 0 {
				still = append(still, q)
			}
		}
		missing = still
		return len(missing) == 0
	})
	t.Run("every variable has values", func(t *testing.T) { variablesHaveValues(t, b, o, values) })
	t.Run("figures", func(t *testing.T) { figuresAreRight(t, b, o, values) })
	t.Run("unknown is no zero", func(t *testing.T) { unknownIsNoZero(t, b, o) })
	t.Run("worst first", func(t *testing.T) { worstComesFirst(t, b, o, values) })
}

func variablesHaveValues(t *testing.T, b board, o observed, values chosen) {
	listing := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`)
	want := map[string]string{
		"job": "timeout-auditor", "owner": "team-pay team-web", "caller": "checkout edge search", "callee": "index payments",
		"dependency": "catalog-prices checkout-payments search-index", "chain": "product-page",
	}
	for _, v := range b.Templating.List {
		parts := listing.FindStringSubmatch(v.Definition)
		if parts == nil {
			continue
		}
		found, _, _, err := o.api.LabelValues(t.Context(), parts[2], []string{values.fill(parts[1])}, time.Now().Add(-time.Hour), time.Now())
		if err != nil {
			t.Fatalf("$%s: %v", v.Name, err)
		}
		if got := strings.Trim(fmt.Sprint(found), "[]"); got != want[v.Name] {
			t.Errorf("$%s has the values %q, want %q", v.Name, got, want[v.Name])
		}
		delete(want, v.Name)
	}
	if len(want) > 0 {
		t.Errorf("these variables list no values: %v", want)
	}
}

// figuresAreRight holds some panels to what the past was made of. The auditor
// is scraped twice and nothing but the auditors may be counted twice.
func figuresAreRight(t *testing.T, b board, o observed, values chosen) {
	for _, c := range []struct {
		title, legend string
		want, off     float64
	}{
		{"Auditors", "{{version}}", 2, 0},
		{"Findings", "critical", 1, 0},
		{"Data quality", "not reported", 0, 0},
		{"Attempts cut off", "predicted", 0.06, 0.001},
		{"Predicted beside observed", "observed", 0.06, 0.001},
		{"Timeout", "Timeout", 0.25, 0},
		{"Evidence", "attempts per second", 10, 0.2},
		{"Per day", "false timeouts", 0.06 * 10 * 86400, 1000},
		{"Cost per day", "false timeouts", 0.06 * 10 * 86400, 1000},
		{"Next timeout to set", "Next timeout to set", 0.5, 0},
		{"Queries failing", "failing", 0, 0},
		{"Configuration", "last load", 1, 0},
	} {
		got := alone(t, c.title+", "+c.legend, o.ask(b.find(t, c.title, c.legend), values))
		if math.Abs(got-c.want) > c.off {
			t.Errorf("%s, %s: %g, want %g ± %g", c.title, c.legend, got, c.want, c.off)
		}
	}
	if got := o.ask(b.find(t, "Per day", "fallbacks: {{cause}}"), values); len(got) != 3 {
		t.Errorf("fallbacks per day are %v, want one for each of three causes", got)
	}
	reported := o.fallbacksPerDay("checkout-payments")
	shown := alone(t, "fallbacks per day", o.ask(b.find(t, "Fallbacks per day", "fallbacks"), values))
	if !(math.Abs(shown/reported-1) < 0.01) {
		t.Errorf("the dashboard shows %g fallbacks a day and the auditor's report %g", shown, reported)
	}
}

// unknownIsNoZero chooses a dependency without data: what is not known has no
// value, and the status is not ok.
func unknownIsNoZero(t *testing.T, b board, o observed) {
	values := b.everything("catalog-prices")
	for title, legend := range map[string]string{
		"Attempts cut off": "predicted", "Fallbacks per day": "fallbacks", "p99": "p99", "Next timeout to set": "Next timeout to set",
	} {
		if got := o.ask(b.find(t, title, legend), values); len(got) != 0 {
			t.Errorf("%s, %s: %v of a dependency without data", title, legend, got)
		}
	}
	const noData = 3 // in the order of the generator's statuses
	if got := alone(t, "status", o.ask(b.find(t, "Status", "status"), values)); got != noData {
		t.Errorf("status %g, want %d", got, noData)
	}
}

func worstComesFirst(t *testing.T, b board, o observed, values chosen) {
	const title = "Dependencies, worst first"
	rank := map[string]float64{}
	for _, sample := range o.vector(values.fill(b.find(t, title, "Rank").Expr), time.Now()) {
		rank[string(sample.Metric["dependency"])] = float64(sample.Value)
	}
	if len(rank) != 3 || rank["checkout-payments"] <= rank["catalog-prices"] || rank["catalog-prices"] <= rank["search-index"] {
		t.Errorf("ranks %v: want what pages before what is unknown before what is fine", rank)
	}
	for _, column := range []string{"Worst finding", "Status"} {
		if rows := o.vector(values.fill(b.find(t, title, column).Expr), time.Now()); len(rows) != 3 {
			t.Errorf("%s has %d rows, want one for each of 3 dependencies: %v", column, len(rows), rows)
		}
	}
}

// Nothing scrapes an auditor here: a panel that shows a number all the same,
// such as 0 findings, would say that all is well.
func TestNoPanelShowsAnythingWithoutAnAuditor(t *testing.T) {
	p, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	b, o := load(t), connect(t, p.URL)
	for _, q := range b.questions() {
		if got := o.ask(q.target, b.everything("checkout-payments")); len(got) != 0 {
			t.Errorf("%s shows %v", q, got)
		}
	}
}

// The auditor is scraped and its cycles have stopped: what is declared is all
// that it still says.
func TestWhatNobodyReportsAnyMoreIsNotReported(t *testing.T) {
	recorded := newPast()
	recorded.series(`timeout_auditor_policy_retries{job="timeout-auditor",dependency="checkout-payments",caller="checkout"}`, func(float64) float64 { return 2 })
	b, o := load(t), connect(t, recorded.start(t).URL)
	values := b.everything("checkout-payments")
	const notReported = 5 // after the statuses
	for title, c := range map[string]struct {
		legend string
		want   []float64
	}{
		"Status":                    {"status", []float64{notReported}},
		"Data quality":              {"not reported", []float64{1}},
		"Dependencies, worst first": {"Status", []float64{notReported}},
		"Findings":                  {"critical", nil},
		"Findings over time":        {"critical", nil},
		"Cost per day":              {"false timeouts", nil},
	} {
		if got := o.ask(b.find(t, title, c.legend), values); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %v, want %v", title, c.legend, got, c.want)
		}
	}
}
