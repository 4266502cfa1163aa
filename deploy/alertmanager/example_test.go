package alertmanager_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

const exampleFile = "alertmanager.example.yml"

func TestExampleIsAValidConfiguration(t *testing.T) {
	if out, err := servers.Amtool(t.Context(), "check-config", exampleFile); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestAlertsReachTheReceiverTheyShould(t *testing.T) {
	for labels, want := range map[string]string{
		"alertname=TimeoutBelowP99 severity=critical dependency=a owner=team-pay":    "team-pay-pager",
		"alertname=TimeoutBelowP99 severity=critical dependency=a owner=team-web":    "pager",
		"alertname=TimeoutBelowP99 severity=critical dependency=a":                   "pager",
		"alertname=AmplificationHigh severity=warning dependency=a owner=team-pay":   "team-pay-tickets",
		"alertname=AmplificationHigh severity=warning dependency=a":                  "tickets",
		"alertname=ChainOverBudget severity=warning chain=page owner=team-pay":       "team-pay-tickets",
		"alertname=VerdictUnknown severity=warning dependency=a owner=team-pay":      "team-pay-tickets",
		"alertname=NoDeadline severity=info dependency=a owner=team-pay":             "nobody",
		"alertname=TimeoutAuditorAbsent severity=critical":                           "platform",
		"alertname=TimeoutAuditorNotificationsFailing severity=warning":              "platform",
		"alertname=InfoInhibitor severity=none namespace=shop":                       "nobody",
		"alertname=SomethingElse severity=warning namespace=shop":                    "tickets",
		"alertname=TimeoutFarAboveP99 severity=warning dependency=a owner=team-shop": "tickets",
	} {
		out, err := servers.Amtool(t.Context(), append([]string{"config", "routes", "test", "--config.file=" + exampleFile}, strings.Fields(labels)...)...)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got := strings.TrimSpace(string(out)); got != want {
			t.Errorf("%s\ngoes to %s, want %s", labels, got, want)
		}
	}
}

// alert is what Alertmanager takes, and what it then says about it.
type alert struct {
	Labels map[string]string `json:"labels"`
	Status struct {
		State string `json:"state"`
	} `json:"status"`
}

func TestInhibitionMutesWhatAPageExplains(t *testing.T) {
	config, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	server, err := servers.StartAlertmanager(t.Context(), servers.AlertmanagerOptions{Dir: t.TempDir(), Config: string(config)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	mute := map[string]bool{ // by the labels
		"alertname=TimeoutBelowP99 severity=critical dependency=a":                  false,
		"alertname=AmplificationHigh severity=warning dependency=a":                 true,
		"alertname=NoDeadline severity=info dependency=a":                           true,
		"alertname=AmplificationHigh severity=warning dependency=b":                 false,
		"alertname=NoDeadline severity=info dependency=b":                           true,
		"alertname=AmplificationHigh severity=warning dependency=a cluster=another": false,
		"alertname=NoDeadline severity=info dependency=c":                           false,
		"alertname=ChainOverBudget severity=warning chain=page":                     false,
		"alertname=NodeDown severity=warning":                                       false,
		"alertname=TimeoutAuditorStale severity=warning cluster=dark":               false,
		"alertname=VerdictUnknown severity=warning dependency=x cluster=dark":       true,
		"alertname=TimeoutAuditorQueriesFailing severity=warning cluster=dark":      true,
		"alertname=VerdictUnknown severity=warning dependency=x":                    false,
		"alertname=InfoInhibitor severity=none namespace=shop":                      false,
		"alertname=NoDeadline severity=info dependency=d namespace=shop":            true,
	}
	var alerts []alert
	for text := range mute {
		alerts = append(alerts, alert{Labels: labelsOf(text)})
	}
	push(t, server.URL, alerts)
	// Once those that should be are mute, what is not has had its time too.
	for text, want := range mute {
		for deadline := time.Now().Add(10 * time.Second); want && stateOf(t, server.URL, labelsOf(text)) != "suppressed"; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s is not mute", text)
			}
		}
	}
	for text, want := range mute {
		if state := stateOf(t, server.URL, labelsOf(text)); !want && state != "active" && state != "unprocessed" {
			t.Errorf("%s is %s, want it to be heard", text, state)
		}
	}
}

func labelsOf(text string) map[string]string {
	labels := map[string]string{}
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(word, "=")
		labels[name] = value
	}
	return labels
}

func push(t *testing.T, url string, alerts []alert) {
	t.Helper()
	body, err := json.Marshal(alerts)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url+"/api/v2/alerts", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if reason, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", resp.Status, reason)
	}
}

// stateOf is active, suppressed or unprocessed.
func stateOf(t *testing.T, url string, labels map[string]string) string {
	t.Helper()
	resp, err := http.Get(url + "/api/v2/alerts")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var all []alert
	if err := json.NewDecoder(resp.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if len(a.Labels) == len(labels) && contains(a.Labels, labels) {
			return a.Status.State
		}
	}
	return "missing"
}

func contains(all, some map[string]string) bool {
	for name, value := range some {
		if all[name] != value {
			return false
		}
	}
	return true
}
