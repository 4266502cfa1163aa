package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mount lays a file out as the kubelet does for a ConfigMap: config.yaml links
// to ..data/config.yaml, and ..data to a directory that a change replaces.
func mount(t *testing.T, dir, version, text string) string {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, version), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, version, "config.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	next := filepath.Join(dir, "..data_tmp")
	if err := os.Symlink(version, next); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "config.yaml")
	if err := os.Symlink(filepath.Join("..data", "config.yaml"), file); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	return file
}

func TestDaemonReloadsWhenItsConfigMapIsSwapped(t *testing.T) {
	dir, first := t.TempDir(), fmt.Sprintf(twoDependencies, cannedPrometheus(t).URL)
	d := startDaemon(t, "--config.file="+mount(t, dir, "..v1", first), "--config.auto-reload-interval=10ms")
	exports := func(what string) func() bool {
		return func() bool { _, metrics := d.get("/metrics"); return strings.Contains(metrics, what) }
	}
	d.eventually("the first version is audited", exports(`dependency="search-index"`))

	mount(t, dir, "..v2", strings.ReplaceAll(first, "search-index", "renamed"))
	if err := os.RemoveAll(filepath.Join(dir, "..v1")); err != nil {
		t.Fatal(err)
	}
	d.eventually("the second version is audited", exports(`dependency="renamed"`))

	mount(t, dir, "..v3", "dependencies: 7\n")
	d.eventually("the third version is refused", exports("timeout_auditor_config_last_reload_successful 0"))
	if !exports(`dependency="renamed"`)() {
		t.Error("the version that worked is lost")
	}
	mount(t, dir, "..v4", first)
	d.eventually("the fourth version is audited", exports(`dependency="search-index"`))
	if n := strings.Count(d.stderr.String(), "Configuration reload failed"); n != 1 {
		t.Errorf("the refusal is logged %d times, want once:\n%s", n, d.stderr)
	}
	if code := d.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}
