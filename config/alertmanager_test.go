package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withAlertmanager puts what a key of an Alertmanager needs beside it.
func withAlertmanager(file, at map[string]any, path string) (map[string]any, string) {
	inner, ok := strings.CutPrefix(path, "alertmanagers[].")
	if !ok {
		return at, path
	}
	server := map[string]any{"url": "http://alertmanager:9093"}
	if inner == "no_proxy" || inner == "proxy_connect_header" {
		server["proxy_url"] = "http://proxy:3128"
	}
	file["alertmanagers"] = []any{server}
	return server, inner
}

func TestAlertmanagersTakeEveryHTTPClientKeyOfPrometheus(t *testing.T) {
	for _, f := range alertmanagerClientFields() {
		path := "alertmanagers[]." + f.name
		if got := parsed(t, with(t, path, f.example)); got == bareFor(t, path) {
			t.Errorf("%s: %s changes nothing", path, f.example)
		}
		if f.initial != "" && parsed(t, with(t, path, f.initial)) != bareFor(t, path) {
			t.Errorf("%s: the default %s changes something", path, f.initial)
		}
	}
}

func TestFilesOfAnAlertmanagerAreBesideTheConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	text := with(t, "alertmanagers", "[{url: 'http://a:9093'}, {url: 'http://b:9093', basic_auth: {username: u, password_file: password}, tls_config: {ca_file: ca.pem}}]")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	client := mustLoad(t, file).Alertmanagers[1].HTTPClient
	dir := filepath.Dir(file)
	if client.BasicAuth.PasswordFile != filepath.Join(dir, "password") || client.TLSConfig.CAFile != filepath.Join(dir, "ca.pem") {
		t.Errorf("password file %s, CA file %s, want both in %s", client.BasicAuth.PasswordFile, client.TLSConfig.CAFile, dir)
	}
}

func TestOneAlertmanagersKeysAreNotThoseOfTheNext(t *testing.T) {
	second := mustParse(t, with(t, "alertmanagers", "[{url: 'http://a:9093', timeout: 1s, enable_http2: false}, {url: 'http://b:9093'}]")).Alertmanagers[1]
	if second.Timeout.String() != "10s" || !second.HTTPClient.EnableHTTP2 {
		t.Errorf("timeout %s, HTTP/2 %t: taken from the one before", second.Timeout, second.HTTPClient.EnableHTTP2)
	}
}
