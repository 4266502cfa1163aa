package helm_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

const (
	chart      = "timeout-auditor"
	fullValues = "timeout-auditor/ci/full-values.yaml"
	rulesFile  = "../prometheus/timeout-auditor.rules.yaml"
)

// object is a mapping of a rendered object.
type object map[string]any

// at walks down keys and indices; nil where the way ends.
func (o object) at(path ...any) any {
	var current any = map[string]any(o)
	for _, step := range path {
		switch step := step.(type) {
		case string:
			mapping, _ := current.(map[string]any)
			current = mapping[step]
		case int:
			list, _ := current.([]any)
			if step >= len(list) {
				return nil
			}
			current = list[step]
		}
	}
	return current
}

func (o object) text(path ...any) string {
	text, _ := o.at(path...).(string)
	return text
}

// objects are rendered ones by "Kind/name".
type objects map[string]object

// config returns the configuration file of the rendered ConfigMap.
func (all objects) config(t *testing.T) string {
	t.Helper()
	for key, o := range all {
		if text, ok := o.at("data", "config.yaml").(string); ok && strings.HasPrefix(key, "ConfigMap/") {
			return text
		}
	}
	t.Fatal("no ConfigMap has a config.yaml")
	return ""
}

// only returns the one object of a kind.
func (all objects) only(t *testing.T, kind string) object {
	t.Helper()
	var found []object
	for key, o := range all {
		if strings.HasPrefix(key, kind+"/") {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d objects of kind %s, want 1", len(found), kind)
	}
	return found[0]
}

func (all objects) has(kind string) bool {
	for key := range all {
		if strings.HasPrefix(key, kind+"/") {
			return true
		}
	}
	return false
}

// template runs helm template for a release named "release".
func template(t *testing.T, args ...string) (string, error) {
	t.Helper()
	dependOn(t, chart)
	out, err := servers.Helm(t.Context(), append([]string{
		"template", "release", chart, "--namespace=monitoring", "--kube-version=1.37",
	}, args...)...)
	return string(out), err
}

// render returns what the chart makes.
func render(t *testing.T, args ...string) objects {
	t.Helper()
	text, err := template(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, text)
}

func decode(t *testing.T, text string) objects {
	t.Helper()
	all := objects{}
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var mapping map[string]any
		err := decoder.Decode(&mapping)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if o := object(mapping); o != nil {
			all[o.text("kind")+"/"+o.text("metadata", "name")] = o
		}
	}
}

// dependOn reads a directory's files, so that go test sees when they change:
// helm reads them in a process of its own.
func dependOn(t *testing.T, dir string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			_, err = os.ReadFile(path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// write puts text into a file and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func readYAML(t *testing.T, file string) object {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var mapping map[string]any
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&mapping); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return mapping
}
