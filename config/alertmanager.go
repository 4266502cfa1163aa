package config

import (
	"fmt"
	"io"
	"strings"
	"time"

	promconfig "github.com/prometheus/common/config"
)

// Format prints the address alone, as that of [Prometheus] does.
func (a Alertmanager) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, a.safe()) }

// MarshalText is for loggers and encoders what Format is for fmt.
func (a Alertmanager) MarshalText() ([]byte, error) { return []byte(a.safe()), nil }

func (a Alertmanager) safe() string { return "Alertmanager(" + a.URL + ")" }

// alertmanagerFields are the keys of one Alertmanager. Beside its address and
// timeout these are the HTTP client keys, which the documentation explains
// once, under prometheus.
func alertmanagerFields() []field[Alertmanager] {
	return []field[Alertmanager]{
		{name: "url", kind: "URL", absent: "required", example: "https://alertmanager.example.com/prefix",
			means: "Alertmanager, with its path prefix if it has one. http or https, without credentials, query or fragment. In a cluster, name each member.",
			read:  address(func(a *Alertmanager) *string { return &a.URL })},
		{name: "timeout", kind: "duration", initial: "10s", example: "5s",
			means: "Deadline of each push. Above 0, at most 5m.",
			read:  duration(span{above: true, max: 5 * time.Minute}, func(a *Alertmanager) *time.Duration { return &a.Timeout })},
	}
}

// alertmanagerClientFields are the keys that alertmanagerFields leaves out.
func alertmanagerClientFields() []field[Alertmanager] {
	return httpClientFields(func(a *Alertmanager) *promconfig.HTTPClientConfig { return &a.HTTPClient })
}

func readAlertmanagers(v value, f *fileDraft) {
	items, _ := v.items()
	fields := append(alertmanagerFields(), alertmanagerClientFields()...)
	lines := map[string]int{}
	for _, item := range items {
		a := Alertmanager{HTTPClient: promconfig.DefaultHTTPClientConfig}
		fillInitial(fields, &a)
		if !readMapping(item, fields, &a) {
			continue
		}
		validateHTTPClient(item, &a.HTTPClient)
		url := join(item.path, "url")
		m, set := item.seen[url]
		if !set {
			item.problem(item.line, url, "is missing; where is this Alertmanager?")
			continue
		}
		same := strings.TrimRight(a.URL, "/")
		if first, twice := lines[same]; twice && m.sound {
			item.problem(m.line, url, "is that of the Alertmanager on line %d too, got %s", first, show(a.URL))
			continue
		}
		lines[same] = m.line
		f.Alertmanagers = append(f.Alertmanagers, a)
	}
}
