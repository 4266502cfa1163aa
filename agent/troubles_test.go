package agent

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/timeout-auditor/timeout-auditor/agent/notify"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

func TestAuditorKnowsItsOwnTroubles(t *testing.T) {
	var loadErr error
	a, err := New(Options{
		Load:    func() (*config.Config, error) { return &config.Config{}, loadErr },
		Connect: func(config.Prometheus) (Observer, error) { return nil, nil },
		Logger:  slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	dep := reporttest.Dependency("a")
	minute := func(n int) time.Time { return reporttest.Start.Add(time.Duration(n) * time.Minute) }
	failed := func(n int) []notify.Trouble {
		return a.troubles(reporttest.Cycle(nil, minute(n), reporttest.Unseen(dep, minute(n), latency.StatusQueryFailed, "refused")))
	}
	answered := func(n int) []notify.Trouble {
		return a.troubles(reporttest.Cycle(nil, minute(n), reporttest.Unseen(dep, minute(n), latency.StatusNoData, "no series")))
	}
	stale := []notify.Trouble{{Alert: rules.Stale, Since: minute(5)}}
	for _, step := range []struct {
		what      string
		got, want []notify.Trouble
	}{
		{"at the start", failed(0), nil},
		{"no answer for as long as results are good", failed(5), nil},
		{"no answer for longer", failed(6), stale},
		{"and still", failed(60), stale},
		{"an answer, if without data", answered(61), nil},
		{"silence again", failed(67), []notify.Trouble{{Alert: rules.Stale, Since: minute(66)}}},
	} {
		if diff := cmp.Diff(step.want, step.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.what, diff)
		}
	}

	loadErr = errors.New("config.yaml:3: unknown key")
	before := time.Now()
	for range 2 { // the second failure is not a new beginning
		if err := a.Reload(); err == nil {
			t.Fatal("reloaded")
		}
	}
	got := answered(68)
	if len(got) != 1 || got[0].Alert != rules.ConfigReloadFailed || got[0].Since.Before(before) || !got[0].Since.Equal(a.refusedAt) {
		t.Errorf("after a failed reload: %v", got)
	}
	loadErr = nil
	if err := a.Reload(); err != nil {
		t.Fatal(err)
	}
	if got := answered(69); got != nil {
		t.Errorf("after a reload that succeeded: %v", got)
	}
}
