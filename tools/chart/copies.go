package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
)

const chart = "deploy/helm/timeout-auditor"

// copies are the files that the chart takes in from elsewhere in the tree.
func copies(root string) (derived, error) {
	d := derived{
		texts:    map[string][]byte{},
		patterns: []string{chart + "/files/*", chart + "/dashboards/*"},
	}
	const rules = "deploy/prometheus/timeout-auditor.rules.yaml"
	if err := d.take(root, rules, chart+"/files"); err != nil {
		return derived{}, err
	}
	dashboards, err := filepath.Glob(filepath.Join(root, "deploy", "grafana", "*.json"))
	if err != nil {
		return derived{}, err
	}
	for _, file := range dashboards {
		if err := d.take(root, "deploy/grafana/"+filepath.Base(file), chart+"/dashboards"); err != nil {
			return derived{}, err
		}
	}
	return d, nil
}

// take adds a copy of a file in another directory.
func (d derived) take(root, from, dir string) error {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(from)))
	if err != nil {
		return fmt.Errorf("copying into the chart: %w", err)
	}
	d.texts[path.Join(dir, path.Base(from))] = text
	return nil
}
