package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/demo/workload"
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

func TestOneAddressServesEveryServicesMetrics(t *testing.T) {
	var targets []workload.Target
	for _, name := range []string{"checkout", "payments"} {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, name+" at "+r.URL.Path)
		}))
		t.Cleanup(service.Close)
		targets = append(targets, workload.Target{Job: name, Address: strings.TrimPrefix(service.URL, "http://")})
	}
	server := httptest.NewServer(handler(targets))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")

	var got []group
	if err := json.Unmarshal([]byte(get(t, server.URL+"/targets")), &got); err != nil {
		t.Fatal(err)
	}
	want := []group{
		{[]string{host}, map[string]string{"job": "checkout", "instance": "checkout", "__metrics_path__": "/metrics/checkout"}},
		{[]string{host}, map[string]string{"job": "payments", "instance": "payments", "__metrics_path__": "/metrics/payments"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, g := range got {
		job := g.Labels["job"]
		if text := get(t, "http://"+g.Targets[0]+g.Labels["__metrics_path__"]); text != job+" at /metrics" {
			t.Errorf("the metrics of %s are %q", job, text)
		}
	}
}

func TestExitCodeTellsUsageFromFailure(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.yaml")
	const text = "prometheus: {url: http://localhost:9090}\ndependencies:\n  - name: x\n    latency: {histogram: x_seconds}\n"
	if err := os.WriteFile(other, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"help":                       {[]string{"--help"}, exitOK, "usage: serve"},
		"an unknown flag":            {[]string{"--config=x"}, exitUsage, "unknown long flag"},
		"no configuration":           {nil, exitUsage, "config.yaml"},
		"one that is not there":      {[]string{"--config.file=" + dir + "/none.yaml"}, exitUsage, "none.yaml"},
		"one without the workload's": {[]string{"--config.file=" + other, "--web.listen-address=127.0.0.1:0"}, exitUsage, "no dependency is named"},
		"an address of elsewhere":    {[]string{"--config.file=" + other, "--web.listen-address=192.0.2.1:1"}, exitFailed, "192.0.2.1"},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr strings.Builder
			if code := run(t.Context(), c.args, &stderr); code != c.code || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("exit code %d, want %d; said %q, want %q in it", code, c.code, stderr.String(), c.want)
			}
		})
	}
}
