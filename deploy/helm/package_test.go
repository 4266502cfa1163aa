package helm_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// What people install is the package: what the chart reads must be in it.
func TestPackageMakesWhatTheDirectoryMakes(t *testing.T) {
	dependOn(t, chart)
	dir := t.TempDir()
	if _, err := servers.Helm(t.Context(), "package", chart, "--destination="+dir); err != nil {
		t.Fatal(err)
	}
	packages, err := filepath.Glob(filepath.Join(dir, "timeout-auditor-*.tgz"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("packages %v, %v", packages, err)
	}
	out, err := servers.Helm(t.Context(), "template", "release", packages[0],
		"--namespace=monitoring", "--kube-version=1.37", "--values="+fullValues)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(render(t, "--values="+fullValues), decode(t, string(out))); diff != "" {
		t.Errorf("-directory +package\n%s", diff)
	}
	about, err := servers.Helm(t.Context(), "show", "chart", packages[0])
	if err != nil || !strings.Contains(string(about), "name: timeout-auditor") {
		t.Errorf("%v\n%s", err, about)
	}
}
