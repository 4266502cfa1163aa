//go:build image

// Package image_test builds the container image from the Dockerfile and runs
// what is in it as Kubernetes would: as nobody, on a root it can not write to.
package image_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	nonroot = 65532
	mebi    = 1 << 20
	// The real base has time zones and licences that the stand-in lacks.
	baseReserve = 3 * mebi
)

func TestImageIsSmallAndRunsAsNobodyOnAReadOnlyRoot(t *testing.T) {
	s := newStore(t)
	s.standIns(t)
	const name = "localhost/timeout-auditor:test"
	s.build(t, name, "Dockerfile")
	container := s.buildah(t, "from", "--pull-never", name)
	root := s.buildah(t, "mount", container)

	t.Run("what it says of itself", func(t *testing.T) {
		checkConfig(t, s.buildah(t, "inspect", "--type=image", name))
	})
	t.Run("size", func(t *testing.T) {
		if size := sizeOf(t, root); size > 30*mebi-baseReserve {
			t.Errorf("%.1f MiB, want at most %d MiB with the real base", float64(size)/mebi, 30)
		} else {
			t.Logf("%.1f MiB without the real base", float64(size)/mebi)
		}
	})
	t.Run("start", func(t *testing.T) {
		runInside(t, root)
	})
}

// The compose file builds it.
func TestWorkloadImageBuilds(t *testing.T) {
	s := newStore(t)
	s.standIns(t)
	s.build(t, "localhost/workload:test", "deploy/compose/workload.Dockerfile")
	root := s.buildah(t, "mount", s.buildah(t, "from", "--pull-never", "localhost/workload:test"))
	out, err := exec.CommandContext(t.Context(), filepath.Join(root, "serve"), "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "usage: serve") {
		t.Errorf("%v\n%s", err, out)
	}
}

// checkConfig reads what an engine would start, and as whom.
func checkConfig(t *testing.T, inspected string) {
	t.Helper()
	var image struct {
		OCIv1 struct {
			Config struct {
				User            string
				Entrypoint, Cmd []string
				ExposedPorts    map[string]struct{}
				Labels          map[string]string
			}
		}
	}
	if err := json.Unmarshal([]byte(inspected), &image); err != nil {
		t.Fatal(err)
	}
	c := image.OCIv1.Config
	if c.User != "65532:65532" { // by number: the kubelet checks that it is not 0
		t.Errorf("user %q", c.User)
	}
	if got := strings.Join(append(c.Entrypoint, c.Cmd...), " "); got != "/timeout-auditor run --config.file=/etc/timeout-auditor/config.yaml" {
		t.Errorf("it starts %q", got)
	}
	if _, ok := c.ExposedPorts["10815"]; !ok && len(c.ExposedPorts) != 1 {
		t.Errorf("ports %v", c.ExposedPorts)
	}
	if c.Labels["org.opencontainers.image.version"] != "1.2.3" {
		t.Errorf("labels %v", c.Labels)
	}
}

func sizeOf(t *testing.T, root string) (bytes int64) {
	t.Helper()
	if err := filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		bytes += info.Size()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return bytes
}

// runInside starts the image's program in its own root, asks it, and ends it.
func runInside(t *testing.T, root string) {
	t.Helper()
	config := filepath.Join(root, "etc", "timeout-auditor", "config.yaml")
	copyFile(t, "../../config.example.yaml", config, 0o444)
	mountReadOnly(t, root)
	if err := os.WriteFile(filepath.Join(root, "written"), nil, 0o600); err == nil {
		t.Fatal("the root can be written to, so nothing is shown")
	}
	address := freeAddress(t)
	var log bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "/timeout-auditor", "run",
		"--config.file=/etc/timeout-auditor/config.yaml", "--web.listen-address="+address)
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Chroot:     root,
		Credential: &syscall.Credential{Uid: nonroot, Gid: nonroot},
		Pdeathsig:  syscall.SIGKILL,
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	for _, path := range []string{"/-/ready", "/-/healthy", "/metrics", "/"} {
		waitFor(t, "http://"+address+path, exited)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-exited; err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, &log)
	}
	if !strings.Contains(log.String(), "version=1.2.3") {
		t.Errorf("the log does not name the version it was built as:\n%s", &log)
	}
}

// mountReadOnly mounts a directory over itself so that nobody can write to it.
func mountReadOnly(t *testing.T, root string) {
	t.Helper()
	if err := syscall.Mount(root, root, "", syscall.MS_BIND, ""); err != nil {
		t.Fatalf("mounting needs root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(root, 0); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mount("", root, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// waitFor asks until the answer is 200.
func waitFor(t *testing.T, url string, exited <-chan error) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	for {
		response, err := http.Get(url)
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-tick.C:
		case err := <-exited:
			t.Fatalf("it ended: %v", err)
		case <-limit.C:
			t.Fatalf("%s: no answer of 200", url)
		}
	}
}
