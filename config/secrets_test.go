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
alertmanagers:
  - url: http://alertmanager:9093
    basic_auth: {username: auditor, password: hunter2}
    proxy_url: http://admin:hunter2@proxy:3128
dependencies: [{name: a, latency: {histogram: h_seconds}}]
`
	c, err := Parse("config.yaml", []byte(file), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Prometheus.HTTPClient.TLSConfig.Key != secret || c.Prometheus.HTTPClient.BasicAuth.Password != secret ||
		c.Alertmanagers[0].HTTPClient.BasicAuth.Password != secret {
		t.Fatalf("the secrets were not read: %v", c.Prometheus.HTTPClient.TLSConfig)
	}
	text := ""
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		text += fmt.Sprintf(strings.Repeat(verb+"\n", 6), c, *c, c.Prometheus, &c.Prometheus, c.Alertmanagers, &c.Alertmanagers[0])
	}
	encoded, err := json.Marshal([]any{c.Prometheus, c.Alertmanagers})
	if err != nil {
		t.Fatal(err)
	}
	text += string(encoded)
	if strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
		t.Errorf("a secret shows:\n%s", text)
	}
	for _, address := range []string{"Prometheus(http://prometheus:9090)", "Alertmanager(http://alertmanager:9093)"} {
		if !strings.Contains(text, address) {
			t.Errorf("%s does not show:\n%s", address, text)
		}
	}
}
