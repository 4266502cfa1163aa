package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// output collects what a command prints while it runs.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// daemon is `timeout-auditor run` inside this process.
type daemon struct {
	t      *testing.T
	URL    string
	stderr *output
	stop   context.CancelFunc
	code   chan int
}

var listening = regexp.MustCompile(`msg="Listening on" address=(\S+)`)

func startDaemon(t *testing.T, args ...string) *daemon {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	d := &daemon{t: t, stderr: &output{}, stop: cancel, code: make(chan int, 1)}
	args = append([]string{"run", "--web.listen-address=127.0.0.1:0"}, args...)
	go func() { d.code <- run(ctx, args, strings.NewReader(""), io.Discard, d.stderr) }()
	t.Cleanup(func() { cancel() })
	d.eventually("it listens", func() bool {
		found := listening.FindStringSubmatch(d.stderr.String())
		if found == nil {
			return false
		}
		d.URL = "http://" + found[1]
		return true
	})
	return d
}

func (d *daemon) eventually(what string, holds func() bool) {
	d.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	d.t.Fatalf("waited in vain until %s; log:\n%s", what, d.stderr.String())
}

// end stops the daemon and returns its exit code.
func (d *daemon) end() int {
	d.t.Helper()
	d.stop()
	return <-d.code
}

func (d *daemon) get(path string) (status int, body string) {
	d.t.Helper()
	resp, err := http.Get(d.URL + path)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

const twoDependencies = `
prometheus: {url: %s}
dependencies:
  - name: checkout-payments
    owner: team-pay
    latency: {histogram: below_seconds, timeouts: uncensored}
    policy: {timeout: 250ms, deadline: 2s, retries: 2}
  - name: search-index
    latency: {histogram: fine_seconds, timeouts: uncensored}
    policy: {timeout: 500ms, deadline: 2s}
`

func writeFile(t *testing.T, name, format string, args ...any) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, fmt.Appendf(nil, format, args...), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestDaemonAuditsAndExportsUntilItIsTold(t *testing.T) {
	config := writeFile(t, "config.yaml", twoDependencies, cannedPrometheus(t).URL)
	d := startDaemon(t, "--config.file="+config)
	for _, path := range []string{"/-/healthy", "/-/ready", "/"} {
		if status, body := d.get(path); status != http.StatusOK {
			t.Errorf("%s: status %d: %s", path, status, body)
		}
	}
	const finding = `timeout_auditor_finding{dependency="checkout-payments",owner="team-pay",rule="timeout-below-p99",severity="critical"} 1`
	d.eventually("the finding is exported", func() bool {
		_, metrics := d.get("/metrics")
		return strings.Contains(metrics, finding)
	})
	var metrics string
	d.eventually("the past week has been looked at", func() bool {
		_, metrics = d.get("/metrics")
		// Three for each dependency, at four moments of the past and now, and two for its week.
		return strings.Contains(metrics, `timeout_auditor_queries_total{result="success"} 34`)
	})
	for _, want := range []string{
		`timeout_auditor_cycles_total{result="success"} 1`,
		`timeout_auditor_config_last_reload_successful 1`,
		`timeout_auditor_build_info{`,
		`timeout_auditor_dependency_status{dependency="search-index",status="ok"} 1`,
		`go_goroutines`, `process_cpu_seconds_total`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if status, report := d.get("/api/v1/report"); status != http.StatusOK || !strings.Contains(report, "checkout-payments") {
		t.Errorf("/api/v1/report: status %d: %s", status, report)
	}
	if code := d.end(); code != exitOK {
		t.Errorf("exit code %d after SIGTERM, want 0", code)
	}
}

func TestDaemonReloadsOnHangupAndKeepsWhatWorkedWhenThatFails(t *testing.T) {
	prometheus := cannedPrometheus(t)
	config := writeFile(t, "config.yaml", twoDependencies, prometheus.URL)
	d := startDaemon(t, "--config.file="+config, "--web.enable-lifecycle")
	rewrite := func(text string) {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reports := func(name string) func() bool {
		return func() bool { _, body := d.get("/api/v1/report"); return strings.Contains(body, name) }
	}
	d.eventually("the first report stands", reports("search-index"))

	rewrite(strings.ReplaceAll(fmt.Sprintf(twoDependencies, prometheus.URL), "search-index", "renamed"))
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	d.eventually("SIGHUP brings the new name", reports("renamed"))

	rewrite("dependencies: 7\n")
	resp, err := http.Post(d.URL+"/-/reload", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusInternalServerError || !strings.Contains(string(body), "config.yaml:1") {
		t.Errorf("reload of a broken file: status %d: %s", resp.StatusCode, body)
	}
	if _, metrics := d.get("/metrics"); !strings.Contains(metrics, "timeout_auditor_config_last_reload_successful 0") {
		t.Error("the failed reload does not show in the metrics")
	}
	if _, page := d.get("/"); !strings.Contains(page, "The newest configuration was refused") || !strings.Contains(page, "config.yaml:1") {
		t.Error("the page does not tell that the reload failed")
	}
	if !reports("renamed")() {
		t.Error("the configuration that worked is lost")
	}
	if status, _ := d.get("/-/ready"); status != http.StatusOK {
		t.Errorf("not ready after a failed reload: %d", status)
	}
	if code := d.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

func TestDaemonStaysReadyWhilePrometheusIsDown(t *testing.T) {
	config := writeFile(t, "config.yaml", twoDependencies, "http://127.0.0.1:1")
	d := startDaemon(t, "--config.file="+config)
	d.eventually("the failure is counted", func() bool {
		_, metrics := d.get("/metrics")
		return strings.Contains(metrics, `timeout_auditor_cycles_total{result="failure"} 1`)
	})
	if status, _ := d.get("/-/ready"); status != http.StatusOK {
		t.Errorf("readiness is %d because Prometheus is down", status)
	}
	_, metrics := d.get("/metrics")
	if !strings.Contains(metrics, `status="query-failed"} 1`) || strings.Contains(metrics, "predicted_false_timeout_ratio{") {
		t.Errorf("a dependency that could not be asked about must be query-failed without figures:\n%s", metrics)
	}
}

func TestDaemonExitCodes(t *testing.T) {
	good := writeFile(t, "config.yaml", twoDependencies, "http://127.0.0.1:1")
	bad := writeFile(t, "config.yaml", "prometheus: 1\n")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, tc := range map[string]struct {
		args []string
		want int
		says string
	}{
		"bad configuration":     {[]string{"--config.file=" + bad}, exitUsage, "config.yaml:1: prometheus:"},
		"missing configuration": {[]string{"--config.file=" + filepath.Join(t.TempDir(), "none.yaml")}, exitUsage, "none.yaml"},
		"port taken":            {[]string{"--config.file=" + good, "--web.listen-address=" + taken.Addr().String()}, exitFailed, "address already in use"},
		"bad external URL":      {[]string{"--config.file=" + good, "--web.external-url=auditor"}, exitUsage, "--web.external-url"},
		"unknown flag":          {[]string{"--nothing"}, exitUsage, "--nothing"},
		"unknown command":       {[]string{"sing"}, exitUsage, "sing"},
		"missing web config":    {[]string{"--config.file=" + good, "--web.listen-address=127.0.0.1:0", "--web.config.file=" + good}, exitFailed, "Cannot serve"},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr output
			if code := run(t.Context(), tc.args, strings.NewReader(""), io.Discard, &stderr); code != tc.want {
				t.Errorf("exit code %d, want %d", code, tc.want)
			}
			if !strings.Contains(stderr.String(), tc.says) {
				t.Errorf("stderr does not say %q:\n%s", tc.says, stderr.String())
			}
		})
	}
}

func TestDaemonServesTLSAndAsksForAPassword(t *testing.T) {
	dir := t.TempDir()
	roots := selfSigned(t, dir)
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	webConfig := fmt.Sprintf("tls_server_config: {cert_file: cert.pem, key_file: key.pem}\nbasic_auth_users: {auditor: %q}\n", hash)
	file := filepath.Join(dir, "web.yaml")
	if err := os.WriteFile(file, []byte(webConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	config := writeFile(t, "config.yaml", twoDependencies, cannedPrometheus(t).URL)
	d := startDaemon(t, "--config.file="+config, "--web.config.file="+file)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	for password, want := range map[string]int{"secret": http.StatusOK, "wrong": http.StatusUnauthorized, "": http.StatusUnauthorized} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.Replace(d.URL, "http:", "https:", 1)+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		if password != "" {
			req.SetBasicAuth("auditor", password)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("password %q: status %d, want %d", password, resp.StatusCode, want)
		}
	}
	if status, body := d.get("/metrics"); status == http.StatusOK {
		t.Errorf("plain HTTP is answered: %s", body)
	}
}

// selfSigned writes cert.pem and key.pem for 127.0.0.1 into dir.
func selfSigned(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "EC PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots := x509.NewCertPool()
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(cert)
	return roots
}
