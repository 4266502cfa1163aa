package servers

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// unusedFor is how long a key that nobody asked for stays in the cache. Long
// enough to go back and forth between branches with different pins.
const unusedFor = 14 * 24 * time.Hour

// binary is one program in the cache, there or not.
type binary struct {
	name    string
	module  module
	version string // pinned, of the module
	source  string // directory of the pins
	path    string // in the cache
}

// locate finds out where the cache keeps a program under the present pins.
func (b builder) locate(name string) (binary, error) {
	for _, m := range b.modules {
		if !slices.Contains(m.commands, name) {
			continue
		}
		source := filepath.Join(b.tools, m.dir)
		gomod, gosum, err := readPins(source)
		if err != nil {
			return binary{}, fmt.Errorf("reading the pins of %s: %w", name, err)
		}
		version, err := pinned(gomod, m.path)
		if err != nil {
			return binary{}, fmt.Errorf("%s: %w", filepath.Join(source, "go.mod"), err)
		}
		key := cacheKey(gomod, gosum, m.buildArgs(version))
		file := name
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		return binary{
			name:    name,
			module:  m,
			version: version,
			source:  source,
			path:    filepath.Join(b.cache, m.dir+"-"+key, file),
		}, nil
	}
	var known []string
	for _, m := range b.modules {
		known = append(known, m.commands...)
	}
	return binary{}, fmt.Errorf("unknown program %q, known are %s", name, strings.Join(known, ", "))
}

// cacheKey hashes all that decides what go build makes.
func cacheKey(gomod, gosum []byte, args []string) string {
	h := sha256.New()
	for _, part := range [][]byte{
		gomod,
		gosum,
		[]byte(strings.Join(args, "\x00")),
		[]byte(runtime.GOOS + "/" + runtime.GOARCH),
		[]byte(runtime.Version()),
	} {
		// The length in front keeps two parts from running into each other.
		fmt.Fprintf(h, "%d\n", len(part))
		h.Write(part)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// cached reports whether the binary is there, and marks its key as used.
func (bin binary) cached() bool {
	info, err := os.Stat(bin.path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	now := time.Now()
	// A read-only cache works too, its keys just look unused.
	_ = os.Chtimes(filepath.Dir(bin.path), now, now)
	return true
}

// prune removes the keys of bin's module that nobody has used for long.
func (b builder) prune(bin binary, now time.Time) error {
	keep := filepath.Dir(bin.path)
	dirs, err := filepath.Glob(filepath.Join(b.cache, bin.module.dir+"-*"))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil || dir == keep || now.Sub(info.ModTime()) < unusedFor {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}
