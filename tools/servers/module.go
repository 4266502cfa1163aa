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
	commands []string // each in cmd/NAME of path

	// release turns the module's version into the one the program reports.
	// Nil for a program that is not stamped.
	release func(version string) string
}

// modules lists what can be built.
func modules() []module {
	return []module{
		{
			dir:      "prometheus",
			path:     "github.com/prometheus/prometheus",
			tags:     "remove_all_sd,netgo", // static, file and HTTP discovery stay: a third of the build
			commands: []string{"prometheus", "promtool"},
			release:  prometheusRelease,
		},
		{
			dir:      "alertmanager",
			path:     "github.com/prometheus/alertmanager",
			tags:     "netgo",
			commands: []string{"alertmanager", "amtool"},
			release:  func(version string) string { return strings.TrimPrefix(version, "v") },
		},
		{
			dir:      "golangci-lint",
			path:     "github.com/golangci/golangci-lint/v2",
			commands: []string{"golangci-lint"},
		},
	}
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
	var names []string
	for _, m := range modules() {
		names = append(names, m.commands...)
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
	if m.release != nil {
		args = append(args, "-ldflags",
			"-s -w -X github.com/prometheus/common/version.Version="+m.release(version))
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
