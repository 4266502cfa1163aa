package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// module is one directory under tools and the commands built from it.
type module struct {
	dir      string // under tools
	path     string // of the Go module that holds the commands
	tags     string
	commands []string // each in DIR/NAME of path
	under    string   // DIR; empty: cmd
	atRoot   bool     // the one command is the package path itself

	// stamps returns what the linker writes into the program, VARIABLE=VALUE,
	// so that it reports the module's version. Nil for a program without.
	stamps func(version string) []string

	// onDemand is built only when it is named: few tests need it, and its
	// build is long.
	onDemand bool
}

// source returns the package that a command is built from.
func (m module) source(command string) string {
	if m.atRoot {
		return m.path
	}
	under := m.under
	if under == "" {
		under = "cmd"
	}
	return m.path + "/" + under + "/" + command
}

// modules lists what can be built.
func modules() []module {
	return []module{
		{
			dir:      "prometheus",
			path:     "github.com/prometheus/prometheus",
			tags:     "remove_all_sd,netgo", // static, file and HTTP discovery stay: a third of the build
			commands: []string{"prometheus", "promtool"},
			stamps:   func(version string) []string { return commonStamp(prometheusRelease(version)) },
		},
		{
			dir:      "alertmanager",
			path:     "github.com/prometheus/alertmanager",
			tags:     "netgo",
			commands: []string{"alertmanager", "amtool"},
			stamps:   func(version string) []string { return commonStamp(strings.TrimPrefix(version, "v")) },
		},
		{
			dir:      "thanos",
			path:     "github.com/thanos-io/thanos",
			tags:     "slicelabels", // without it the sidecar panics at the first query
			commands: []string{"thanos"},
			stamps:   func(version string) []string { return commonStamp(strings.TrimPrefix(version, "v")) },
		},
		{
			dir:      "victoriametrics",
			path:     "github.com/VictoriaMetrics/VictoriaMetrics",
			commands: []string{"victoria-metrics"},
			under:    "app",
		},
		{
			dir:      "golangci-lint",
			path:     "github.com/golangci/golangci-lint/v2",
			commands: []string{"golangci-lint"},
		},
		{
			dir:      "helm",
			path:     "helm.sh/helm/v3",
			commands: []string{"helm"},
			stamps: func(version string) []string {
				return []string{"helm.sh/helm/v3/internal/version.version=" + version}
			},
		},
		{
			dir:      "kubernetes",
			path:     "k8s.io/kubernetes",
			commands: []string{"kube-apiserver", "kubectl"},
			stamps:   kubernetesStamps,
			onDemand: true,
		},
		{
			dir:      "etcd",
			path:     "go.etcd.io/etcd/server/v3",
			commands: []string{"etcd"},
			atRoot:   true,
			onDemand: true,
		},
	}
}

// commonStamp is the version as programs with prometheus/common report it.
func commonStamp(release string) []string {
	return []string{"github.com/prometheus/common/version.Version=" + release}
}

// kubernetesStamps are needed for more than show: the API server derives the
// age of its APIs from its version, and kubectl compares the two.
func kubernetesStamps(version string) []string {
	const at = "k8s.io/component-base/version."
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	stamps := []string{at + "gitVersion=" + version}
	if len(parts) == 3 {
		stamps = append(stamps, at+"gitMajor="+parts[0], at+"gitMinor="+parts[1])
	}
	return stamps
}

// prometheusRelease turns v0.316.0, as Prometheus tags its Go module, into the
// release 3.16.0: the module's minor version is 100·major + minor.
func prometheusRelease(version string) string {
	var minor, patch int
	if _, err := fmt.Sscanf(version, "v0.%d.%d", &minor, &patch); err != nil {
		return version
	}
	return fmt.Sprintf("%d.%d.%d", minor/100, minor%100, patch)
}

// Names lists the programs that Ensure and Binary know.
func Names() []string {
	return append(Usual(), commands(true)...)
}

// Usual lists the programs that the tests of every day need. Names has those
// too that are built only when asked for by name.
func Usual() []string { return commands(false) }

func commands(onDemand bool) []string {
	var names []string
	for _, m := range modules() {
		if m.onDemand == onDemand {
			names = append(names, m.commands...)
		}
	}
	return names
}

// buildArgs returns the arguments of go build that decide what a binary is,
// without the output and the package. version is the pinned one of m.path.
func (m module) buildArgs(version string) []string {
	args := []string{"-trimpath", "-buildvcs=false"}
	if m.tags != "" {
		args = append(args, "-tags", m.tags)
	}
	if m.stamps != nil {
		flags := "-s -w"
		for _, stamp := range m.stamps(version) {
			flags += " -X " + stamp
		}
		args = append(args, "-ldflags", flags)
	}
	return args
}

// pinned returns the version of module path that the text of a go.mod requires.
func pinned(gomod []byte, path string) (string, error) {
	for line := range strings.Lines(string(gomod)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) >= 2 && fields[0] == path && strings.HasPrefix(fields[1], "v") {
			return fields[1], nil
		}
	}
	return "", fmt.Errorf("no version of %s is required", path)
}

// readPins returns the go.mod and go.sum in dir.
func readPins(dir string) (gomod, gosum []byte, err error) {
	if gomod, err = os.ReadFile(filepath.Join(dir, "go.mod")); err != nil {
		return nil, nil, err
	}
	if gosum, err = os.ReadFile(filepath.Join(dir, "go.sum")); err != nil {
		return nil, nil, err
	}
	return gomod, gosum, nil
}
