//go:build deploy

package servers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

func TestKubernetesChecksAndStoresObjects(t *testing.T) {
	k, err := servers.StartKubernetes(t.Context(), servers.KubernetesOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Stop)
	write := func(text string) string {
		t.Helper()
		file := filepath.Join(t.TempDir(), "object.yaml")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const good = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default}\ndata: {a: b}\n"
	if _, err := k.Kubectl(t.Context(), "apply", "--server-side", "-f", write(good)); err != nil {
		t.Fatal(err)
	}
	if out, err := k.Kubectl(t.Context(), "get", "configmap", "x", "-o", "jsonpath={.data.a}"); err != nil || string(out) != "b" {
		t.Errorf("stored %q, %v", out, err)
	}
	_, err = k.Kubectl(t.Context(), "apply", "--server-side", "-f", write(strings.Replace(good, "\ndata:", "\ndat:", 1)))
	if err == nil || !strings.Contains(err.Error(), "dat") {
		t.Errorf("a misspelt field: %v", err)
	}
	k.Stop()
	k.Stop()
	if _, err := k.Kubectl(t.Context(), "get", "namespaces"); err == nil {
		t.Error("it still answers after Stop")
	}
}
