package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Every verb and encoder that might put a configuration into a log.
func TestFormattingAConfigShowsNoSecret(t *testing.T) {
	const file = `
prometheus:
  url: http://prometheus:9090
  tls_config: {cert: c, key: hunter2}
  proxy_url: http://admin:hunter2@proxy:3128
  proxy_connect_header: {Proxy-Authorization: [hunter2]}
  basic_auth: {username: auditor, password: hunter2}
  http_headers: {X-Token: {secrets: [hunter2]}}
dependencies: [{name: a, latency: {histogram: h_seconds}}]
`
	c, err := Parse("config.yaml", []byte(file), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Prometheus.HTTPClient.TLSConfig.Key != secret || c.Prometheus.HTTPClient.BasicAuth.Password != secret {
		t.Fatalf("the secrets were not read: %v", c.Prometheus.HTTPClient.TLSConfig)
	}
	text := ""
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		text += fmt.Sprintf(verb+"\n"+verb+"\n"+verb+"\n"+verb+"\n", c, *c, c.Prometheus, &c.Prometheus)
	}
	encoded, err := json.Marshal(c.Prometheus)
	if err != nil {
		t.Fatal(err)
	}
	text += string(encoded)
	if strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
		t.Errorf("a secret shows:\n%s", text)
	}
	if !strings.Contains(text, "Prometheus(http://prometheus:9090)") {
		t.Errorf("the address does not show:\n%s", text)
	}
}
