package servers

import (
	"slices"
	"strings"
	"testing"
)

// The binaries of a cache that is in use must stay valid: these arguments are
// part of its key.
func TestBuildArgumentsCarryTheVersionThatTheProgramReports(t *testing.T) {
	want := map[string]string{
		"prometheus":     "-s -w -X github.com/prometheus/common/version.Version=3.16.0",
		"alertmanager":   "-s -w -X github.com/prometheus/common/version.Version=0.316.0",
		"golangci-lint":  "",
		"helm":           "-s -w -X helm.sh/helm/v3/internal/version.version=v0.316.0",
		"kube-apiserver": "-s -w -X k8s.io/component-base/version.gitVersion=v0.316.0 -X k8s.io/component-base/version.gitMajor=0 -X k8s.io/component-base/version.gitMinor=316",
		"etcd":           "",
	}
	for _, m := range modules() {
		expected, ok := want[m.commands[0]]
		if !ok {
			continue
		}
		args := m.buildArgs("v0.316.0")
		got := ""
		if at := slices.Index(args, "-ldflags"); at >= 0 {
			got = args[at+1]
		}
		if got != expected {
			t.Errorf("%s: -ldflags %q, want %q", m.commands[0], got, expected)
		}
		delete(want, m.commands[0])
	}
	if len(want) > 0 {
		t.Errorf("not in the table: %v", want)
	}
}

func TestCommandsAreBuiltFromTheirPackage(t *testing.T) {
	for name, c := range map[string]struct {
		module module
		want   string
	}{
		"under cmd":  {module{path: "example.org/tool"}, "example.org/tool/cmd/x"},
		"the module": {module{path: "example.org/tool", atRoot: true}, "example.org/tool"},
	} {
		if got := c.module.source("x"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestLongBuildsAreMadeOnlyOnDemand(t *testing.T) {
	all, usual := Names(), Usual()
	for _, name := range []string{"kube-apiserver", "kubectl", "etcd"} {
		if !slices.Contains(all, name) || slices.Contains(usual, name) {
			t.Errorf("%s: known are %s, usual are %s", name, strings.Join(all, ", "), strings.Join(usual, ", "))
		}
	}
}
