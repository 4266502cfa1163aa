package compose_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// program is one of ours, built and started as its container would start it.
type program struct{ address string }

func startProgram(t *testing.T, pkg string, args ...string) program {
	t.Helper()
	binary := filepath.Join(t.TempDir(), filepath.Base(pkg))
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, pkg).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(binary, args...)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended, and Wait tells how
		<-drained
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", pkg, err)
		}
	})
	address := make(chan string, 1)
	go func() {
		defer close(drained)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			for _, before := range []string{"listening on ", `msg="Listening on" address=`} {
				if _, found, ok := strings.Cut(lines.Text(), before); ok {
					select {
					case address <- found:
					default: // known already
					}
				}
			}
		}
	}()
	select {
	case found := <-address:
		return program{address: found}
	case <-drained:
		t.Fatalf("%s ended before it listened", pkg)
	case <-time.After(time.Minute):
		t.Fatalf("%s does not listen", pkg)
	}
	return program{}
}

// The files of the containers, with addresses of this machine in place of the
// containers' names.
func TestPrometheusReachesAllThatItScrapesAndTheAuditorItsPrometheus(t *testing.T) {
	alertmanagerConfig := read(t, "alertmanager.yml")
	alertmanager, err := servers.StartAlertmanager(t.Context(), servers.AlertmanagerOptions{Dir: t.TempDir(), Config: alertmanagerConfig})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(alertmanager.Stop)
	dir := t.TempDir()
	copyFile(t, "../prometheus/timeout-auditor.rules.yaml", filepath.Join(dir, "rules", "timeout-auditor.rules.yaml"))
	prometheus, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(prometheus.Stop)

	config := filepath.Join(t.TempDir(), "config.yaml")
	write(t, config, strings.ReplaceAll(read(t, "config.yaml"), "http://prometheus:9090", prometheus.URL))
	workload := startProgram(t, "../../demo/serve", "--config.file="+config, "--web.listen-address=127.0.0.1:0")
	auditor := startProgram(t, "../../cmd/timeout-auditor", "run", "--config.file="+config, "--web.listen-address=127.0.0.1:0")
	write(t, prometheus.ConfigFile, strings.NewReplacer(
		"workload:8000", workload.address,
		"timeout-auditor:10815", auditor.address,
		"alertmanager:9093", strings.TrimPrefix(alertmanager.URL, "http://"),
		"scrape_interval: 5s", "scrape_interval: 1s",
	).Replace(read(t, "prometheus.yml")))
	if err := prometheus.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}

	wait(t, "every job is scraped", func() bool {
		up := values(t, prometheus.URL, `up`)
		for _, job := range []string{"timeout-auditor", "checkout", "payments", "search", "catalog", "prices", "mail"} {
			if up[job] != "1" {
				return false
			}
		}
		return true
	})
	wait(t, "every dependency has an answer", func() bool {
		status := values(t, prometheus.URL, `count by (job) (timeout_auditor_dependency_status{status="query-failed"} == 0)`)
		return status["timeout-auditor"] == "6"
	})
}

// values are the results of an instant query by job.
func values(t *testing.T, url, query string) map[string]string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v1/query", nil)
	if err != nil {
		t.Fatal(err)
	}
	parameters := request.URL.Query()
	parameters.Set("query", query)
	request.URL.RawQuery = parameters.Encode()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Data struct {
			Result []struct {
				Metric map[string]string
				Value  [2]any
			}
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, r := range answer.Data.Result {
		all[r.Metric["job"]], _ = r.Value[1].(string)
	}
	return all
}

func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(90 * time.Second); !ok(); {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("not so: %s", what)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
