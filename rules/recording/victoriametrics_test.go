package recording_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/rules/recording"
	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// vmalert does no more than this: it asks VictoriaMetrics for each expression of
// a group in order and writes the answer back.
func TestVictoriaMetricsEvaluatesTheRulesOfClassicHistograms(t *testing.T) {
	p, err := servers.StartVictoriaMetrics(t.Context(), servers.VictoriaMetricsOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	now := time.Now().Truncate(time.Second)
	s := server{p.URL}
	past := histories(now)
	s.load(t, strings.ReplaceAll(past.text.String(), "\n", "000\n"))
	dep := measured("steady_seconds", "classic", 1)
	dep.ErrorRatio.Query = "sum(rate(errors_total[$window])) / sum(rate(calls_total[$window]))"
	dep.Policy.Deadline, dep.Policy.RetryBudget = 5*time.Second, new(float64)
	*dep.Policy.RetryBudget = 0.001
	for _, group := range recording.Groups(&config.Config{Dependencies: []config.Dependency{dep}}, recording.Options{}) {
		for _, rule := range group.Rules {
			s.record(t, rule, now)
		}
	}
	value := func(name string) float64 {
		t.Helper()
		found := s.query(t, fmt.Sprintf("sum(last_over_time(%s[1h]))", name))
		if len(found) != 1 {
			t.Fatalf("%s: %d series, want one: %v", name, len(found), found)
		}
		return found[0].number(t)
	}
	l, err := latency.FitQuantiles(
		latency.QuantilePoint{P: 0.5, Seconds: value(recording.P50)}, latency.QuantilePoint{P: 0.99, Seconds: value(recording.P99)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := value(recording.FalseTimeoutRatio), l.Survival(2); math.Abs(got/want-1) > 1e-3 {
		t.Errorf("p = %g, want %g", got, want)
	}
	if got := value(recording.FallbackRatio); got <= 0 || got >= 1 {
		t.Errorf("fallback ratio %g", got)
	}
	if got := value(recording.Amplification); math.Abs(got-1.001) > 1e-9 {
		t.Errorf("amplification %g, want what the budget grants", got)
	}
	if found := s.query(t, "last_over_time("+recording.Unknown+"[1h])"); len(found) > 0 {
		t.Errorf("unknown: %v", found)
	}
}

// record evaluates a rule and writes the answer back.
func (s server) record(t *testing.T, rule rulefile.Rule, at time.Time) {
	t.Helper()
	for _, r := range s.query(t, rule.Expr) {
		if rule.Record == "" {
			continue
		}
		var labels []string
		for name, value := range rule.Labels {
			r.Metric[name] = value
		}
		for name, value := range r.Metric {
			if name != "__name__" {
				labels = append(labels, fmt.Sprintf("%s=%q", name, value))
			}
		}
		s.load(t, fmt.Sprintf("%s{%s} %g %d\n", rule.Record, strings.Join(labels, ","), r.number(t), at.UnixMilli()))
	}
}

// load imports an exposition with timestamps in milliseconds.
func (s server) load(t *testing.T, text string) {
	t.Helper()
	for _, path := range []string{"/api/v1/import/prometheus", "/internal/force_flush"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, bytes.NewBufferString(text))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if response.StatusCode >= http.StatusBadRequest {
			t.Fatalf("%s: %s", path, response.Status)
		}
	}
}
