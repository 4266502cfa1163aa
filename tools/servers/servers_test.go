package servers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s", url, response.Status, body)
	}
	return string(body)
}

func TestPrometheusAnswersQueriesUntilItIsStopped(t *testing.T) {
	var log bytes.Buffer
	p, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{Dir: t.TempDir(), Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)

	if body := get(t, p.URL+"/api/v1/query?query=vector(42)"); !strings.Contains(body, `"42"`) {
		t.Errorf("vector(42) answered %s", body)
	}
	var info struct{ Data struct{ Version string } }
	if err := json.Unmarshal([]byte(get(t, p.URL+"/api/v1/status/buildinfo")), &info); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(info.Data.Version, "3.") {
		t.Errorf("version %q, want a stamped one of Prometheus 3", info.Data.Version)
	}

	p.Stop()
	p.Stop()
	select {
	case <-p.Exited():
	default:
		t.Error("Exited is open after Stop")
	}
	if response, err := http.Get(p.URL + "/-/ready"); err == nil {
		response.Body.Close()
		t.Error("it still answers after Stop")
	}
	for what, text := range map[string]string{"Log": p.Log(), "the caller's log": log.String()} {
		if !strings.Contains(text, "See you next time!") {
			t.Errorf("%s has no farewell, so it did not end in order:\n%s", what, text)
		}
	}
}

func TestTwoPrometheusRunSideBySide(t *testing.T) {
	var urls []string
	for range 2 {
		p, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Stop)
		urls = append(urls, p.URL)
	}
	if urls[0] == urls[1] {
		t.Errorf("both are at %s", urls[0])
	}
	for _, url := range urls {
		get(t, url+"/-/ready")
	}
}

func TestReloadTakesGoodConfigAndReportsBadOne(t *testing.T) {
	p, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)

	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(p.ConfigFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("global: {external_labels: {planet: mars}}\n")
	if err := p.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if body := get(t, p.URL+"/api/v1/status/config"); !strings.Contains(body, "mars") {
		t.Errorf("the new configuration is not there: %s", body)
	}
	write("global: {no_such_key: 1}\n")
	if err := p.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "no_such_key") {
		t.Errorf("reloading a bad configuration: %v, want the reason", err)
	}
}

func TestAlertmanagerStartsWithoutConfig(t *testing.T) {
	p, err := servers.StartAlertmanager(t.Context(), servers.AlertmanagerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	if body := get(t, p.URL+"/api/v2/status"); !strings.Contains(body, `"nowhere"`) && !strings.Contains(body, "receiver: nowhere") {
		t.Errorf("status has no receiver: %s", body)
	}
	out, err := servers.Amtool(t.Context(), "alert", "query", "--alertmanager.url="+p.URL)
	if err != nil {
		t.Error(err)
	}
	if strings.Contains(string(out), "firing") {
		t.Errorf("alerts out of nowhere: %s", out)
	}
}

func TestServerThatRefusesItsConfigFailsWithItsLog(t *testing.T) {
	_, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{Dir: t.TempDir(), Config: "no_such_key: 1\n"})
	if err == nil || !strings.Contains(err.Error(), "no_such_key") {
		t.Errorf("Prometheus: %v, want the reason from its log", err)
	}
	_, err = servers.StartAlertmanager(t.Context(), servers.AlertmanagerOptions{Dir: t.TempDir(), Config: "no_such_key: 1\n"})
	if err == nil || !strings.Contains(err.Error(), "no_such_key") {
		t.Errorf("Alertmanager: %v, want the reason from its log", err)
	}
}

func TestFlagsWinOverDefaults(t *testing.T) {
	data := filepath.Join(t.TempDir(), "elsewhere")
	p, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{
		Dir:   t.TempDir(),
		Flags: []string{"--storage.tsdb.path=" + data, "--log.format=json"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	if _, err := os.Stat(data); err != nil {
		t.Errorf("the data directory of the flag is not used: %v", err)
	}
}

func TestServerThatHidesItsAddressFailsWhenTheContextEnds(t *testing.T) {
	if _, err := servers.Binary(t.Context(), "prometheus"); err != nil {
		t.Fatal(err)
	}
	// The address is logged at info, so no wait is long enough.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := servers.StartPrometheus(ctx, servers.PrometheusOptions{
		Dir:   t.TempDir(),
		Flags: []string{"--log.level=error"},
	})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no listen address") {
		t.Errorf("got %v", err)
	}
}

func TestServerNeedsADirectory(t *testing.T) {
	if _, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{}); err == nil {
		t.Error("started without a directory")
	}
}

func TestPromtoolReturnsOutputAndExplainsFailure(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.yml")
	check := func(text string) (string, error) {
		t.Helper()
		if err := os.WriteFile(rules, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := servers.Promtool(t.Context(), "check", "rules", rules)
		return string(out), err
	}
	out, err := check("groups: [{name: g, rules: [{record: a:b, expr: vector(1)}]}]\n")
	if err != nil || !strings.Contains(out, "1 rules found") {
		t.Errorf("good rules: %q, %v", out, err)
	}
	if _, err := check("groups: [{name: g, rules: [{record: a:b, expr: 'vector('}]}]\n"); err == nil || !strings.Contains(err.Error(), "parse") {
		t.Errorf("bad rules: %v, want the parse error", err)
	}
}
