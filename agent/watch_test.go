package agent_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/config"
)

// file is a configuration file that holds the name of its only dependency. The
// name "broken" does not load.
type file struct {
	mu    sync.Mutex
	text  string
	err   error // of reading it
	bad   error // of loading what it holds
	loads int
}

func (f *file) write(text string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text, f.err = text, err
}

func (f *file) read() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return []byte(f.text), f.err
}

func (f *file) refuse(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bad = err
}

func (f *file) loaded() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loads
}

// journal is a log that is read while it is written.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// watched runs an agent that looks at the file every 30 seconds.
func watched(t *testing.T, f *file) (a *agent.Agent, registry *prometheus.Registry, log *journal) {
	t.Helper()
	registry, log = prometheus.NewRegistry(), &journal{}
	o := options(nil, &slowObserver{err: errNothing})
	o.Registerer, o.Logger = registry, slog.New(slog.NewTextHandler(log, nil))
	o.Read = f.read
	o.Load = func() (*config.Config, error) {
		text, err := f.read()
		f.mu.Lock()
		f.loads++
		err = cmp.Or(err, f.bad)
		f.mu.Unlock()
		if err == nil && string(text) == "broken" {
			err = errors.New("config.yaml:1: broken")
		}
		return everyMinute(t, string(text)), err
	}
	a, stop := start(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		a.ReloadOnChange(ctx, 30*time.Second)
		close(ended)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		stop()
	})
	return a, registry, log
}

func name(a *agent.Agent) string { return a.Config().Dependencies[0].Name }

func TestChangedFileIsReloadedOnceItHasSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{text: "a"}
		a, _, _ := watched(t, f)
		time.Sleep(5 * time.Minute)
		if n := f.loaded(); n != 1 {
			t.Errorf("loaded %d times although nothing changed", n)
		}
		time.Sleep(29 * time.Second)
		f.write("half", nil) // a writer is at work when the file is looked at
		time.Sleep(1500 * time.Millisecond)
		f.write("b", nil)
		time.Sleep(time.Second)
		if got := name(a); got != "a" {
			t.Errorf("%s is in force while the file is being written", got)
		}
		time.Sleep(31 * time.Second)
		if got := name(a); got != "b" || f.loaded() != 2 {
			t.Errorf("%s is in force after %d loads, want b after 2", got, f.loaded())
		}
		if got := a.Report().Dependencies[0].Dependency.Name; got != "b" {
			t.Errorf("%s was audited, want a cycle with b at once", got)
		}
	})
}

func TestFileThatDoesNotLoadIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{text: "a"}
		a, registry, log := watched(t, f)
		f.write("broken", nil)
		time.Sleep(10 * time.Minute)
		if n := strings.Count(log.String(), "config.yaml:1: broken"); n != 1 {
			t.Errorf("logged %d times, want once:\n%s", n, log)
		}
		if got := gauge(t, registry, "timeout_auditor_config_last_reload_successful"); got != 0 || name(a) != "a" {
			t.Errorf("last_reload_successful %v with %s in force, want 0 with a", got, name(a))
		}
		f.write("a", nil) // as it was before
		time.Sleep(time.Minute)
		if got := gauge(t, registry, "timeout_auditor_config_last_reload_successful"); got != 1 {
			t.Errorf("last_reload_successful is %v after the file was put right", got)
		}
	})
}

func TestFileThatVanishesIsReportedOnceAndItsReturnMendsThat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{text: "a"}
		a, registry, log := watched(t, f)
		f.write("", os.ErrNotExist)
		time.Sleep(5 * time.Minute)
		if n := strings.Count(log.String(), "does not exist"); n != 1 || name(a) != "a" {
			t.Errorf("logged %d times with %s in force:\n%s", n, name(a), log)
		}
		f.write("a", nil)
		time.Sleep(time.Minute)
		if got := gauge(t, registry, "timeout_auditor_config_last_reload_successful"); got != 1 {
			t.Errorf("last_reload_successful is %v after the file is back", got)
		}
	})
}

// A configuration may name a certificate that is mounted later than itself.
func TestFileThatDoesNotLoadIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{text: "a"}
		a, registry, log := watched(t, f)
		f.refuse(errors.New("open ca.pem: no such file"))
		f.write("b", nil)
		time.Sleep(5 * time.Minute)
		if got := name(a); got != "a" || strings.Count(log.String(), "ca.pem") != 1 {
			t.Errorf("%s is in force:\n%s", got, log)
		}
		f.refuse(nil)
		time.Sleep(time.Minute)
		if got := gauge(t, registry, "timeout_auditor_config_last_reload_successful"); got != 1 || name(a) != "b" {
			t.Errorf("last_reload_successful %v with %s in force, want 1 with b", got, name(a))
		}
	})
}

func TestReloadByOtherMeansIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{text: "a"}
		a, _, _ := watched(t, f)
		f.write("b", nil)
		if err := a.Reload(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if n := f.loaded(); n != 2 {
			t.Errorf("loaded %d times, want at the start and by the reload", n)
		}
	})
}
