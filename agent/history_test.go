package agent_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// remembering is an observer with a past.
type remembering struct {
	namedObserver
	asked *promquery.SeriesQuestion
	err   error
}

func (o remembering) Series(_ context.Context, q promquery.SeriesQuestion) (promquery.SeriesAnswer, error) {
	*o.asked = q
	answer := promquery.SeriesAnswer{Samples: map[string][]promquery.Sample{}}
	for i, name := range q.Names {
		answer.Samples[name] = []promquery.Sample{{At: q.End, Value: float64(i)}}
	}
	return answer, o.err
}

func historyOf(t *testing.T, o agent.Observer) (web.History, error) {
	t.Helper()
	a, err := agent.New(agent.Options{
		Load:    func() (*config.Config, error) { return &config.Config{}, nil },
		Connect: func(config.Prometheus) (agent.Observer, error) { return o, nil }, Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	end := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return a.History(t.Context(), web.HistoryQuestion{Dependency: "x", Start: end.Add(-time.Hour), End: end, Step: time.Minute})
}

func TestHistoryIsThatOfTheExportedMetrics(t *testing.T) {
	var asked promquery.SeriesQuestion
	h, err := historyOf(t, remembering{asked: &asked})
	if err != nil {
		t.Fatal(err)
	}
	if asked.Label != "dependency" || asked.Value != "x" || asked.Step != time.Minute {
		t.Errorf("asked %+v", asked)
	}
	for name, samples := range map[string]int{
		metric.LatencyP99: len(h.P99), metric.PolicyTimeout: len(h.Timeout), metric.PredictedFalseTimeoutRatio: len(h.Ratio),
		metric.FalseTimeoutRatioLower: len(h.Lower), metric.FalseTimeoutRatioUpper: len(h.Upper),
	} {
		if samples != 1 || !slices.Contains(asked.Names, name) {
			t.Errorf("%s: %d samples, asked for %v", name, samples, asked.Names)
		}
	}
	if at := slices.Index(asked.Names, metric.LatencyP99); h.P99[0].Value != float64(at) {
		t.Errorf("the p99 is %v, that of metric %d", h.P99[0].Value, at)
	}
}

func TestHistoryThatFailsSaysSo(t *testing.T) {
	refused := errors.New("refused")
	if _, err := historyOf(t, remembering{asked: new(promquery.SeriesQuestion), err: refused}); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if _, err := historyOf(t, namedObserver{}); err == nil {
		t.Error("an observer without a past has a history")
	}
}
