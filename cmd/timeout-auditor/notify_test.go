package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

const pushing = twoDependencies + `
alertmanagers: [{url: %s}]
external_labels: {cluster: eu-1}
rules: {timeout-below-p99: {for: 0s}}
`

// standingAlert is an alert as Alertmanager shows it.
type standingAlert struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL"`
}

// standingAlerts are those by one name that Alertmanager takes for active.
func standingAlerts(t *testing.T, url, name string) []standingAlert {
	t.Helper()
	resp, err := http.Get(url + "/api/v2/alerts?filter=alertname%3D" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var alerts []standingAlert
	if err := json.NewDecoder(resp.Body).Decode(&alerts); err != nil {
		t.Fatal(err)
	}
	return alerts
}

func TestDaemonPushesWhatItFindsAndLeavesItStanding(t *testing.T) {
	server, err := servers.StartAlertmanager(t.Context(), servers.AlertmanagerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	config := writeFile(t, "config.yaml", pushing, cannedPrometheus(t).URL, server.URL)
	d := startDaemon(t, "--config.file="+config, "--web.external-url=https://auditor.example.com/timeouts")
	d.eventually("Alertmanager has the finding", func() bool { return len(standingAlerts(t, server.URL, "TimeoutBelowP99")) > 0 })
	if code := d.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}

	alerts := standingAlerts(t, server.URL, "TimeoutBelowP99")
	if len(alerts) != 1 {
		t.Fatalf("%d alerts stand after the daemon has ended, want 1: %v", len(alerts), alerts)
	}
	a := alerts[0]
	if diff := cmp.Diff(map[string]string{
		"alertname": "TimeoutBelowP99", "severity": "critical", "dependency": "checkout-payments", "owner": "team-pay", "cluster": "eu-1",
	}, a.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if want := "https://auditor.example.com/timeouts/dependencies/checkout-payments"; a.GeneratorURL != want {
		t.Errorf("the link leads to %s, want %s", a.GeneratorURL, want)
	}
	if got := a.Annotations["runbook_url"]; got != runbookPages+"timeout-below-p99.md" {
		t.Errorf("the runbook is %s", got)
	}
	if got := a.Annotations["description"]; !strings.Contains(got, "p99") || !strings.Contains(got, "What to do: ") {
		t.Errorf("the description says neither what is wrong nor what to do: %s", got)
	}
	if left := time.Until(a.EndsAt); left < 55*time.Minute || left > time.Hour {
		t.Errorf("it ends in %s by itself, want hold_for, 1h", left)
	}
}

func TestDaemonEndsInTimeAlthoughItsAlertmanagerHangs(t *testing.T) {
	asked := make(chan struct{}, 100)
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // until then the end of the request goes unseen
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(hanging.Close)
	config := writeFile(t, "config.yaml", pushing, cannedPrometheus(t).URL, hanging.URL)
	d := startDaemon(t, "--config.file="+config)
	<-asked
	began := time.Now()
	if code := d.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(began); took > shutdownTimeout {
		t.Errorf("it took %s to end", took)
	}
}

func TestDaemonRefusesAnAuthorityThatIsNotThere(t *testing.T) {
	config := writeFile(t, "config.yaml", twoDependencies+"alertmanagers: [{url: 'https://alertmanager:9093', tls_config: {ca_file: gone.pem}}]\n", "http://127.0.0.1:1")
	var stderr output
	code := run(t.Context(), []string{"run", "--config.file=" + config, "--web.listen-address=127.0.0.1:0"}, strings.NewReader(""), io.Discard, &stderr)
	if code != exitUsage || !strings.Contains(stderr.String(), "https://alertmanager:9093") || !strings.Contains(stderr.String(), "gone.pem") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
