//go:build image

package image_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// store is a place of buildah's own, so that stand-ins never get among the
// images of the machine under the names of real ones.
type store struct{ dir string }

func newStore(t *testing.T) store {
	t.Helper()
	if _, err := exec.LookPath("buildah"); err != nil {
		t.Fatalf("this test builds the image with buildah, as root on Linux (apt-get install buildah busybox-static): %v", err)
	}
	dir, err := os.MkdirTemp("", "timeout-auditor-image-")
	if err != nil {
		t.Fatal(err)
	}
	s := store{dir: dir}
	t.Cleanup(func() {
		s.buildah(t, "umount", "--all")
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return s
}

// buildah runs buildah on the store and returns what it printed.
func (s store) buildah(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("buildah", append([]string{ // no context: it also runs in Cleanup
		"--root=" + filepath.Join(s.dir, "root"), "--runroot=" + filepath.Join(s.dir, "run"), "--storage-driver=vfs",
	}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("buildah %s: %v\n%s%s", strings.Join(args, " "), err, &stdout, &stderr)
	}
	return strings.TrimSpace(stdout.String())
}

// standIns makes the images that the Dockerfile builds on, out of what the
// machine has: Go with a shell, and an empty root with certificates and the
// user nonroot. They show that the Dockerfile is right, and say nothing of the
// real images.
func (s store) standIns(t *testing.T) {
	t.Helper()
	certificates := "/etc/ssl/certs/ca-certificates.crt"
	const passwd = "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n"

	golang := t.TempDir()
	copyFile(t, "/bin/busybox", filepath.Join(golang, "bin", "busybox"), 0o755)
	for _, applet := range []string{"sh", "mkdir", "cp", "rm", "cat", "ls", "env"} {
		if err := os.Symlink("busybox", filepath.Join(golang, "bin", applet)); err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, certificates, filepath.Join(golang, certificates), 0o644)
	for _, dir := range []string{"tmp", "root", "etc", "usr"} {
		if err := os.MkdirAll(filepath.Join(golang, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	s.image(t, "docker.io/library/golang:1.26", golang,
		"--env=PATH=/usr/local/go/bin:/bin", "--env=GOPATH=/go", "--env=GOTOOLCHAIN=local")

	static := t.TempDir()
	copyFile(t, certificates, filepath.Join(static, certificates), 0o644)
	if err := os.WriteFile(filepath.Join(static, "etc", "passwd"), []byte(passwd), 0o644); err != nil {
		t.Fatal(err)
	}
	s.image(t, "gcr.io/distroless/static-debian12:nonroot", static, "--user=65532:65532")
}

func (s store) image(t *testing.T, name, root string, config ...string) {
	t.Helper()
	container := s.buildah(t, "from", "scratch")
	s.buildah(t, "add", container, root, "/")
	s.buildah(t, append(append([]string{"config"}, config...), container)...)
	s.buildah(t, "commit", container, name)
	s.buildah(t, "rm", container)
}

// build runs a Dockerfile, by its path from the top of the tree. The machine's Go and its caches are mounted: a
// stand-in with Go inside would be copied again for each step.
func (s store) build(t *testing.T, name, dockerfile string) {
	t.Helper()
	s.buildah(t, "bud", "--isolation=chroot", "--layers=false", "--pull-never",
		"--volume="+goEnv(t, "GOROOT")+":/usr/local/go:ro",
		"--volume="+goEnv(t, "GOMODCACHE")+":/go/pkg/mod",
		"--volume="+goEnv(t, "GOCACHE")+":/root/.cache/go-build",
		"--build-arg=VERSION=1.2.3", "--build-arg=REVISION=abc",
		"--ignorefile="+ignoreFile(dockerfile), "--file=../../"+dockerfile, "--tag="+name, "../..")
}

// ignoreFile is what Docker would take: the Dockerfile's own, or the one at the
// top.
func ignoreFile(dockerfile string) string {
	if own := "../../" + dockerfile + ".dockerignore"; exists(own) {
		return own
	}
	return "../../.dockerignore"
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(fmt.Errorf("go env %s: %w", name, err))
	}
	return strings.TrimSpace(string(out))
}

func copyFile(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, mode); err != nil {
		t.Fatal(err)
	}
}
