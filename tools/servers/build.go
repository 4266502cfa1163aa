package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// interruptGrace is how long an interrupted go build may take to clean up.
const interruptGrace = 10 * time.Second

// builder builds programs from pins under tools into a cache.
type builder struct {
	tools   string
	cache   string
	modules []module
}

func newBuilder() (builder, error) {
	tools, err := toolsDir()
	if err != nil {
		return builder{}, err
	}
	cache, err := cacheDir()
	if err != nil {
		return builder{}, err
	}
	return builder{tools: tools, cache: cache, modules: modules()}, nil
}

// Ensure builds those of the named programs that the cache lacks, one at a
// time, and tells progress what it does, how far it is and how long it took.
// Several processes may call it at once: one builds, the others wait for it.
func Ensure(ctx context.Context, progress io.Writer, names ...string) error {
	b, err := newBuilder()
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := b.ensure(ctx, progress, name); err != nil {
			return err
		}
	}
	return nil
}

// Binary returns the path of a program in the cache. On a miss it builds the
// program first, which takes minutes, and shows so on standard error.
func Binary(ctx context.Context, name string) (string, error) {
	b, err := newBuilder()
	if err != nil {
		return "", err
	}
	bin, err := b.locate(name)
	if err != nil {
		return "", err
	}
	if bin.cached() {
		return bin.path, nil
	}
	return b.ensure(ctx, os.Stderr, name)
}

// ensure returns the path of a program, after building it if need be.
func (b builder) ensure(ctx context.Context, progress io.Writer, name string) (string, error) {
	bin, err := b.locate(name)
	if err != nil {
		return "", err
	}
	if bin.cached() {
		fmt.Fprintf(progress, "%s %s: in the cache\n", name, bin.version)
		return bin.path, nil
	}
	unlock, err := b.lock(ctx, progress, name)
	if err != nil {
		return "", err
	}
	defer unlock()
	if bin.cached() {
		fmt.Fprintf(progress, "%s %s: built by another process\n", name, bin.version)
		return bin.path, nil
	}
	if err := build(ctx, progress, bin); err != nil {
		return "", err
	}
	if err := b.prune(bin, time.Now()); err != nil {
		return "", fmt.Errorf("removing old servers from the cache: %w", err)
	}
	return bin.path, nil
}

// lock keeps other processes from building: two builds on one machine only
// slow each other down, and most often want the same binary.
func (b builder) lock(ctx context.Context, progress io.Writer, name string) (unlock func(), err error) {
	if err := os.MkdirAll(b.cache, 0o755); err != nil {
		return nil, fmt.Errorf("making the cache of servers: %w", err)
	}
	type result struct {
		unlock func()
		err    error
	}
	got := make(chan result, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(filepath.Join(b.cache, "build.lock")).Lock()
		got <- result{unlock, err}
	}()
	waiting := time.NewTimer(time.Second)
	defer waiting.Stop()
	for {
		select {
		case r := <-got:
			if r.err != nil {
				return nil, fmt.Errorf("locking the cache of servers: %w", r.err)
			}
			return r.unlock, nil
		case <-waiting.C:
			fmt.Fprintf(progress, "%s: waiting for another process that builds\n", name)
		case <-ctx.Done():
			go func() { // gives back a lock that comes too late
				if r := <-got; r.err == nil {
					r.unlock()
				}
			}()
			return nil, fmt.Errorf("waiting to build %s: %w", name, ctx.Err())
		}
	}
}

// build runs go build and puts the binary in its place in one step, so that
// nobody ever runs half of one.
func build(ctx context.Context, progress io.Writer, bin binary) error {
	dir := filepath.Dir(bin.path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the cache of servers: %w", err)
	}
	// Under the lock, so a leftover of a killed build is simply written over.
	unfinished := bin.path + ".unfinished"
	args := append([]string{"build", "-C", bin.source, "-v", "-o", unfinished},
		bin.module.buildArgs(bin.version)...)
	cmd := exec.CommandContext(ctx, "go", append(args, bin.module.source(bin.name))...)
	cmd.Env = append(os.Environ(),
		"CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = interruptGrace

	meter := newMeter(bin.name, progress)
	cmd.Stdout, cmd.Stderr = meter, meter
	fmt.Fprintf(progress, "%s %s: not in the cache, building it from %s (minutes at first)\n",
		bin.name, bin.version, bin.source)
	stop := meter.start()
	err := cmd.Run()
	stop()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("building %s needs the go command: %w", bin.name, err)
	case ctx.Err() != nil:
		return fmt.Errorf("building %s: %w", bin.name, ctx.Err())
	case err != nil:
		return fmt.Errorf("building %s in %s: %w\n%s", bin.name, bin.source, err, meter.complaints())
	}
	if err := os.Rename(unfinished, bin.path); err != nil {
		return fmt.Errorf("keeping %s in the cache: %w", bin.name, err)
	}
	fmt.Fprintf(progress, "%s %s: built (%s)\n", bin.name, bin.version, meter.figures())
	return nil
}
