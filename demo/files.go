package main

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/timeout-auditor/timeout-auditor/demo/workload"
)

//go:embed files
var files embed.FS

// addresses are what the configuration files are filled in with.
type addresses struct {
	Prometheus   string // URL
	Alertmanager string // host:port
	Receiver     string // URL of the webhook
	Targets      []workload.Target
}

// render fills in a configuration file.
func render(name string, a addresses) (string, error) {
	// The auditor's own configuration has braces in it.
	file, err := template.New(name).Delims("[[", "]]").ParseFS(files, "files/"+name)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", name, err)
	}
	var text strings.Builder
	if err := file.Execute(&text, a); err != nil {
		return "", fmt.Errorf("filling in %s: %w", name, err)
	}
	return text.String(), nil
}
