package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// fake is an Alertmanager without a network, so that time can be the bubble's.
type fake struct {
	answer func(req *http.Request, alerts []Alert) (status int, err error) // nil: takes everything

	mu    sync.Mutex
	posts [][]Alert
	at    []time.Time
}

func (f *fake) RoundTrip(req *http.Request) (*http.Response, error) {
	var alerts []Alert
	if err := json.NewDecoder(req.Body).Decode(&alerts); err != nil {
		return nil, err
	}
	status := http.StatusOK
	if f.answer != nil {
		var err error
		if status, err = f.answer(req, alerts); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if status == http.StatusOK {
		f.posts, f.at = append(f.posts, alerts), append(f.at, time.Now())
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("an answer")), Header: http.Header{}}, nil
}

// taken are all alerts that were accepted, in order.
func (f *fake) taken() []Alert {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []Alert
	for _, batch := range f.posts {
		all = append(all, batch...)
	}
	return all
}

// times are when batches were accepted.
func (f *fake) times() []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.at)
}

// names are the alerts that were accepted, in order, with a minus before one
// that ends right where it was sent: it has cleared.
func (f *fake) names() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for i, batch := range f.posts {
		for _, a := range batch {
			name := a.Labels["dependency"]
			if !a.EndsAt.After(f.at[i]) {
				name = "-" + name
			}
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// bench is a notifier with fakes in place of Alertmanagers.
type bench struct {
	*Notifier
	registry *prometheus.Registry
	log      *bytes.Buffer
	config   *config.Config
}

func newBench(t *testing.T, fakes map[string]*fake) *bench {
	t.Helper()
	b := &bench{registry: prometheus.NewRegistry(), log: &bytes.Buffer{}, config: &config.Config{
		HoldFor: time.Hour, Schedule: config.Schedule{Gap: time.Minute},
	}}
	b.Notifier = New(Options{
		Logger: slog.New(slog.NewTextHandler(b.log, nil)), Registerer: b.registry,
		ExternalURL: "https://auditor.example.com/timeouts/", RunbookURL: "https://example.com/runbooks/",
	})
	b.adopt(t, fakes)
	return b
}

func (b *bench) adopt(t *testing.T, fakes map[string]*fake) {
	t.Helper()
	plan, err := NewPlan(b.config, "test")
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range fakes {
		plan.targets = append(plan.targets, target{
			name: name, endpoint: "http://" + name + "/api/v2/alerts", timeout: 10 * time.Second,
			client: &http.Client{Transport: f, CheckRedirect: keepMethod},
		})
	}
	b.Adopt(plan)
}

// count is a sample of one of the notifier's own metrics.
func (b *bench) count(t *testing.T, alertmanager string, result Result) float64 {
	t.Helper()
	families, err := b.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if m.GetCounter() != nil && m.GetLabel()[0].GetValue() == alertmanager && m.GetLabel()[1].GetValue() == string(result) {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}

// found is a finding that has stood long enough to be told.
func found(dependency string) rules.Finding {
	return rules.Finding{
		Rule: "timeout-below-p99", Severity: rules.Critical, Dependency: dependency,
		Since: time.Now().Add(-time.Hour), Decided: time.Now(), Message: "it is", Advice: "raise it",
	}
}

func reportOf(findings ...rules.Finding) *report.Report {
	return &report.Report{At: time.Now(), Findings: findings}
}

func many(n int) []rules.Finding {
	var all []rules.Finding
	for i := range n {
		all = append(all, found(fmt.Sprintf("d%03d", i)))
	}
	return all
}
