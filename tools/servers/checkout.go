package servers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// toolsDir returns the tools directory of the checkout.
func toolsDir() (string, error) {
	// The source file's own place holds wherever the process runs; -trimpath
	// leaves no such place, and then the working directory has to do.
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if dir := filepath.Dir(filepath.Dir(file)); holdsPins(dir) {
			return dir, nil
		}
	}
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the tools directory: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if tools := filepath.Join(dir, "tools"); holdsPins(tools) {
			return tools, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no tools directory with pinned servers in or above %s: "+
				"servers can only be built in a checkout of timeout-auditor", start)
		}
	}
}

// holdsPins reports whether dir is a tools directory: one with every pin.
func holdsPins(dir string) bool {
	for _, m := range modules() {
		if _, err := os.Stat(filepath.Join(dir, m.dir, "go.mod")); err != nil {
			return false
		}
	}
	return true
}

// cacheDir returns the directory that holds the binaries of all keys.
func cacheDir() (string, error) {
	base := os.Getenv("XDG_CACHE_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("no cache directory for servers: set XDG_CACHE_HOME or HOME")
		}
		base = filepath.Join(home, ".cache")
	}
	if !filepath.IsAbs(base) {
		return "", fmt.Errorf("no cache directory for servers: XDG_CACHE_HOME must be absolute, got %q", base)
	}
	return filepath.Join(base, "timeout-auditor"), nil
}
