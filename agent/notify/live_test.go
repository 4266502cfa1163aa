package notify_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	promconfig "github.com/prometheus/common/config"

	"github.com/timeout-auditor/timeout-auditor/agent/notify"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// pager is where a real Alertmanager sends its messages.
type pager struct {
	*httptest.Server
	mu       sync.Mutex
	messages []string
}

func newPager(t *testing.T) *pager {
	t.Helper()
	p := &pager{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var message struct {
			Status string `json:"status"`
			Alerts []struct {
				Status string            `json:"status"`
				Labels map[string]string `json:"labels"`
			} `json:"alerts"`
		}
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
			return
		}
		var about []string
		for _, a := range message.Alerts {
			about = append(about, a.Labels["dependency"]+" "+a.Status)
		}
		slices.Sort(about)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.messages = append(p.messages, strings.Join(about, ", "))
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *pager) heard() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.messages)
}

// groups has Alertmanager send what belongs together at once, and updates of it
// soon.
const groups = `
route: {receiver: pager, group_by: [alertname, owner], group_wait: 300ms, group_interval: 500ms, repeat_interval: 1h}
receivers: [{name: pager, webhook_configs: [{url: "%s", send_resolved: true}]}]
`

func startAlertmanager(t *testing.T, o servers.AlertmanagerOptions) *servers.Process {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	server, err := servers.StartAlertmanager(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

// auditor is the notifier of one auditor.
type auditor struct {
	*notify.Notifier
	registry *prometheus.Registry
	stop     func()
	log      *lockedText
}

type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func to(urls ...string) *config.Config {
	c := &config.Config{HoldFor: time.Hour, Schedule: config.Schedule{Gap: time.Minute}}
	for _, url := range urls {
		c.Alertmanagers = append(c.Alertmanagers, config.Alertmanager{URL: url, Timeout: 2 * time.Second, HTTPClient: promconfig.DefaultHTTPClientConfig})
	}
	return c
}

func startAuditor(t *testing.T, c *config.Config) *auditor {
	t.Helper()
	a := &auditor{registry: prometheus.NewRegistry(), log: &lockedText{}}
	a.Notifier = notify.New(notify.Options{Logger: slog.New(slog.NewTextHandler(a.log, nil)), Registerer: a.registry, RunbookURL: "https://example.com/"})
	a.adopt(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		a.Run(ctx)
		close(ended)
	}()
	a.stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(a.stop)
	return a
}

func (a *auditor) adopt(t *testing.T, c *config.Config) {
	t.Helper()
	plan, err := notify.NewPlan(c, "test")
	if err != nil {
		t.Fatal(err)
	}
	a.Adopt(plan)
}

func (a *auditor) finds(findings ...rules.Finding) {
	a.Publish(&report.Report{At: time.Now(), Findings: findings})
}

func slow(dependency string) rules.Finding {
	return rules.Finding{
		Rule: "timeout-below-p99", Severity: rules.Critical, Dependency: dependency, Owner: "team-pay",
		Since: time.Now().Add(-time.Hour), Decided: time.Now(), Message: "it is slow", Advice: "raise it",
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("waited in vain until %s", what)
}

// firing are the dependencies whose alerts Alertmanager takes for active.
func firing(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url + "/api/v2/alerts")
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	var alerts []struct {
		Labels map[string]string `json:"labels"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&alerts); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range alerts {
		names = append(names, a.Labels["dependency"])
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestTwoAuditorsPageOnceForWhatBelongsTogetherAndResolveOnce(t *testing.T) {
	pager := newPager(t)
	server := startAlertmanager(t, servers.AlertmanagerOptions{Config: fmt.Sprintf(groups, pager.URL)})
	one, two := startAuditor(t, to(server.URL)), startAuditor(t, to(server.URL))
	for range 3 { // each finds it on its own, at its own moments
		one.finds(slow("a"), slow("b"))
		two.finds(slow("a"), slow("b"))
		time.Sleep(100 * time.Millisecond)
	}
	eventually(t, "the page", func() bool { return len(pager.heard()) > 0 })
	held := slow("b")
	held.Held = rules.HeldUnknown // nothing is known any more, and that is no news
	for range 3 {
		one.finds(slow("a"), held)
		two.finds(slow("a"), held)
		time.Sleep(300 * time.Millisecond)
	}
	for range 6 { // the end of b is repeated a few times, which may not page again
		one.finds(slow("a"))
		two.finds(slow("a"))
		time.Sleep(300 * time.Millisecond)
	}
	eventually(t, "the end of b", func() bool { return len(pager.heard()) > 1 })
	one.finds()
	two.finds()
	eventually(t, "the end of a", func() bool { return len(pager.heard()) > 2 })
	time.Sleep(time.Second) // two group intervals: nothing more may come
	want := []string{"a firing, b firing", "a firing, b resolved", "a resolved"}
	if diff := cmp.Diff(want, pager.heard()); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestAuditorThatStopsLeavesItsAlertsFiring(t *testing.T) {
	server := startAlertmanager(t, servers.AlertmanagerOptions{})
	a := startAuditor(t, to(server.URL))
	a.finds(slow("a"))
	a.stop()
	if got := firing(t, server.URL); got != "a" {
		t.Errorf("firing after the auditor has gone: %q, want a", got)
	}
}

func TestWhatEndedDuringARestartIsResolvedByTheNextAuditor(t *testing.T) {
	server := startAlertmanager(t, servers.AlertmanagerOptions{})
	before := startAuditor(t, to(server.URL))
	before.finds(slow("ended"), slow("lasting"))
	before.stop()
	after := startAuditor(t, to(server.URL))
	after.Recall([]rules.Finding{slow("ended"), slow("lasting")})
	after.finds(slow("lasting"))
	eventually(t, "only what lasts fires", func() bool { return firing(t, server.URL) == "lasting" })
}

func TestAlertmanagerThatWasDownIsToldWhatStandsNow(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := taken.Addr().String()
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	other := startAlertmanager(t, servers.AlertmanagerOptions{})
	a := startAuditor(t, to("http://"+address, other.URL))
	a.finds(slow("a"), slow("b"))
	eventually(t, "the other is told", func() bool { return firing(t, other.URL) == "a b" })
	for range 5 {
		a.finds(slow("a"), slow("b"))
	}
	a.finds(slow("b"), slow("c"))
	eventually(t, "the other is told again", func() bool { return firing(t, other.URL) == "b c" })
	back := startAlertmanager(t, servers.AlertmanagerOptions{Flags: []string{"--web.listen-address=" + address}})
	eventually(t, "the one that was down is told", func() bool { return firing(t, back.URL) == "b c" })
	if log := a.log.String(); strings.Count(log, "not reached") != 1 {
		t.Errorf("want one line about the failure:\n%s", log)
	}
}

// In classic mode Alertmanager refuses names that Prometheus 3 allows.
func TestReasonOfARealRejectionIsLoggedAndMendedByAReload(t *testing.T) {
	server := startAlertmanager(t, servers.AlertmanagerOptions{Flags: []string{"--enable-feature=classic-mode"}})
	c := to(server.URL)
	c.ExternalLabels = map[string]string{"größe": "7"}
	a := startAuditor(t, c)
	a.finds(slow("a"), slow("b"), slow("c"))
	eventually(t, "three rejections", func() bool { return notifications(t, a, "rejected") == 3 })
	if log := a.log.String(); !strings.Contains(log, "400 Bad Request") || !strings.Contains(log, "größe") {
		t.Errorf("the log does not say why:\n%s", log)
	}
	if got := firing(t, server.URL); got != "" {
		t.Errorf("firing: %q", got)
	}
	a.adopt(t, to(server.URL))
	a.finds(slow("a"), slow("b"), slow("c"))
	eventually(t, "they are taken under other labels", func() bool { return firing(t, server.URL) == "a b c" })
}

func TestUntrustedCertificateIsAFailureUntilItsAuthorityIsGiven(t *testing.T) {
	server := startAlertmanager(t, servers.AlertmanagerOptions{})
	behind, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	secured := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(behind))
	t.Cleanup(secured.Close)
	secured.Config.ErrorLog = log.New(io.Discard, "", 0)
	a := startAuditor(t, to(secured.URL))
	a.finds(slow("a"))
	eventually(t, "the failure", func() bool { return notifications(t, a, notify.Failed) > 0 })
	if log := a.log.String(); !strings.Contains(log, "certificate signed by unknown authority") {
		t.Errorf("the log does not say why:\n%s", log)
	}
	c := to(secured.URL)
	c.Alertmanagers[0].HTTPClient.TLSConfig.CA = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secured.Certificate().Raw}))
	a.adopt(t, c)
	eventually(t, "it is told once it is trusted", func() bool { return firing(t, server.URL) == "a" })
}

func TestMissingAuthorityIsAnErrorOfTheConfiguration(t *testing.T) {
	c := to("https://alertmanager:9093")
	c.Alertmanagers[0].HTTPClient.TLSConfig.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	if _, err := notify.NewPlan(c, "test"); err == nil || !strings.Contains(err.Error(), "https://alertmanager:9093") || !strings.Contains(err.Error(), "ca.pem") {
		t.Errorf("error %v, want one that names the Alertmanager and the file", err)
	}
}

func notifications(t *testing.T, a *auditor, result notify.Result) int {
	t.Helper()
	families, err := a.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	n := 0.0
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if m.GetCounter() != nil && m.GetLabel()[1].GetValue() == string(result) {
				n += m.GetCounter().GetValue()
			}
		}
	}
	return int(n)
}
