package servers

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// hello makes a tools directory with one small module and its builder. Its
// program comes from the module itself, so nothing is downloaded.
func hello(t *testing.T, source string) builder {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"hello/go.mod":            "module example.org/hello\n\ngo 1.26\n\n// as a pin: \nrequire example.org/hello v1.2.3\n",
		"hello/go.sum":            "",
		"hello/cmd/hello/main.go": source,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return builder{
		tools:   dir,
		cache:   filepath.Join(t.TempDir(), "cache"),
		modules: []module{{dir: "hello", path: "example.org/hello", commands: []string{"hello"}}},
	}
}

const greeting = "package main\n\nfunc main() { println(\"hello\") }\n"

func TestEnsureBuildsOnceAndThenUsesTheCache(t *testing.T) {
	b := hello(t, greeting)
	var first, second bytes.Buffer
	path, err := b.ensure(t.Context(), &first, "hello")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(path).CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Errorf("the binary says %q, %v", out, err)
	}
	if !strings.Contains(first.String(), "not in the cache") || !strings.Contains(first.String(), "built (") {
		t.Errorf("progress of a build:\n%s", &first)
	}
	again, err := b.ensure(t.Context(), &second, "hello")
	if err != nil {
		t.Fatal(err)
	}
	if again != path || second.String() != "hello v1.2.3: in the cache\n" {
		t.Errorf("second time: %s, was %s; progress %q", again, path, &second)
	}
}

func TestParallelCallersBuildOnce(t *testing.T) {
	b := hello(t, greeting)
	progress := make([]bytes.Buffer, 4)
	var all sync.WaitGroup
	for i := range progress {
		all.Go(func() {
			if _, err := b.ensure(t.Context(), &progress[i], "hello"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	built := 0
	for i := range progress {
		built += strings.Count(progress[i].String(), "built (")
	}
	if built != 1 {
		t.Errorf("built %d times", built)
	}
}

func TestWaitingForTheLockEndsWithTheContext(t *testing.T) {
	b := hello(t, greeting)
	unlock, err := b.lock(t.Context(), &bytes.Buffer{}, "hello")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.ensure(ctx, &bytes.Buffer{}, "hello"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFailedBuildShowsTheCompilersWordsAndLeavesNoBinary(t *testing.T) {
	b := hello(t, "package main\n\nfunc main() { nonsense() }\n")
	_, err := b.ensure(t.Context(), &bytes.Buffer{}, "hello")
	if err == nil || !strings.Contains(err.Error(), "undefined: nonsense") {
		t.Fatalf("got %v, want the compiler's error", err)
	}
	left, err := filepath.Glob(filepath.Join(b.cache, "hello-*", "hello*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in the cache: %v, %v", left, err)
	}
}

func TestUnknownProgramIsRefusedWithTheKnownOnes(t *testing.T) {
	_, err := Binary(t.Context(), "prometeus")
	if err == nil || !strings.Contains(err.Error(), `"prometeus"`) || !strings.Contains(err.Error(), "promtool") {
		t.Errorf("got %v", err)
	}
}

func TestChangedPinIsAnotherKey(t *testing.T) {
	const gomod, gosum = "require m v1.0.0\n", "m v1.0.0 h1:aaaa=\n"
	args := []string{"-trimpath"}
	key := cacheKey([]byte(gomod), []byte(gosum), args)
	keys := []string{
		key,
		cacheKey([]byte("require m v1.0.1\n"), []byte(gosum), args),
		cacheKey([]byte(gomod), []byte("m v1.0.0 h1:bbbb=\n"), args),
		cacheKey([]byte(gomod), []byte(gosum), append(args, "-tags", "netgo")),
		cacheKey([]byte(gomod+gosum), nil, args),
	}
	slices.Sort(keys)
	if different := len(slices.Compact(slices.Clone(keys))); different != len(keys) {
		t.Errorf("%d different keys of %d: %v", different, len(keys), keys)
	}
	if again := cacheKey([]byte(gomod), []byte(gosum), args); again != key {
		t.Errorf("the same pins have two keys, %s and %s", key, again)
	}
}

func TestPruneRemovesOnlyUnusedKeysOfTheSameModule(t *testing.T) {
	b := hello(t, greeting)
	bin, err := b.locate("hello")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	long := now.Add(-unusedFor - time.Hour)
	for name, used := range map[string]time.Time{
		filepath.Base(filepath.Dir(bin.path)): long,
		"hello-old":                           long,
		"hello-recent":                        now.Add(-time.Hour),
		"other-old":                           long,
	} {
		dir := filepath.Join(b.cache, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, used, used); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.prune(bin, now); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(b.cache)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	want := []string{filepath.Base(filepath.Dir(bin.path)), "hello-recent", "other-old"}
	slices.Sort(want)
	if !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
}

func TestStampedReleaseFollowsThePin(t *testing.T) {
	for version, want := range map[string]string{
		"v0.316.0": "3.16.0",
		"v0.305.2": "3.5.2",
		"v0.55.1":  "0.55.1",
		"v1.8":     "v1.8", // not its scheme: as it is
	} {
		if got := prometheusRelease(version); got != want {
			t.Errorf("%s is release %s, want %s", version, got, want)
		}
	}
}

func TestPinIsReadFromGoMod(t *testing.T) {
	gomod := []byte("module m\n\ntool example.org/a/cmd/x\n\nrequire example.org/b v0.1.0\n\n" +
		"require (\n\texample.org/ab v0.2.0\n\texample.org/a v0.3.0 // indirect\n)\n")
	for path, want := range map[string]string{"example.org/a": "v0.3.0", "example.org/b": "v0.1.0"} {
		if got, err := pinned(gomod, path); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %s", path, got, err, want)
		}
	}
	if got, err := pinned(gomod, "example.org/c"); err == nil {
		t.Errorf("found %s of a module that is not required", got)
	}
}

func TestCacheIsUnderXDGCacheHomeOrHome(t *testing.T) {
	t.Setenv("HOME", "/home/someone")
	for _, c := range []struct{ xdg, want string }{
		{"/var/cache", "/var/cache/timeout-auditor"},
		{"", "/home/someone/.cache/timeout-auditor"},
	} {
		t.Setenv("XDG_CACHE_HOME", c.xdg)
		if got, err := cacheDir(); err != nil || got != filepath.FromSlash(c.want) {
			t.Errorf("XDG_CACHE_HOME=%q: %q, %v, want %s", c.xdg, got, err, c.want)
		}
	}
	t.Setenv("XDG_CACHE_HOME", "relative")
	if got, err := cacheDir(); err == nil {
		t.Errorf("a relative XDG_CACHE_HOME gives %s", got)
	}
}
