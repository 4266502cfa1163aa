package grafana

import (
	_ "embed" // for the dashboard
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

//go:generate go -C ../../tools/dashboard run . -output ../../deploy/grafana/timeout-auditor.json

//go:embed timeout-auditor.json
var dashboard string

// The URLs that the links of the dashboard as it is start with.
const (
	DefaultAuditorURL = "http://localhost:10815"
	DefaultRunbookURL = "https://github.com/timeout-auditor/timeout-auditor/blob/main/docs/runbooks/"
)

// Options are where the links of the dashboard lead. Both are variables of the
// dashboard, so that a viewer can change them too.
type Options struct {
	AuditorURL string // what users reach the auditor's pages under; default DefaultAuditorURL
	RunbookURL string // what the runbook pages lie under; default DefaultRunbookURL
}

// Dashboard returns the dashboard as JSON. The error is a URL that is not an
// http or https one with a host.
func Dashboard(o Options) (string, error) {
	auditor, err := link(o.AuditorURL, DefaultAuditorURL)
	if err != nil {
		return "", fmt.Errorf("the auditor's URL: %w", err)
	}
	runbooks, err := link(o.RunbookURL, DefaultRunbookURL)
	if err != nil {
		return "", fmt.Errorf("the URL of runbooks: %w", err)
	}
	return strings.NewReplacer(
		quoted(DefaultAuditorURL), quoted(auditor),
		quoted(DefaultRunbookURL), quoted(runbooks+"/"),
	).Replace(dashboard), nil
}

// link returns a URL without a slash at its end.
func link(given, otherwise string) (string, error) {
	if given == "" {
		given = otherwise
	}
	parsed, err := url.Parse(given)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return "", fmt.Errorf("must be an http or https URL with a host, got %q", given)
	}
	return strings.TrimRight(given, "/"), nil
}

// quoted is a text as it stands in the JSON of the dashboard.
func quoted(text string) string {
	value, err := json.Marshal(text)
	if err != nil { // a string always encodes
		panic(err)
	}
	return string(value)
}
