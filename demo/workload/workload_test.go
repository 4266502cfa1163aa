package workload

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// scraped returns the values of counters and the counts of histograms that a
// target serves, by name and server_address.
func scraped(t *testing.T, target Target) map[string]float64 {
	t.Helper()
	response, err := http.Get("http://" + target.Address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for name, family := range families {
		for _, metric := range family.GetMetric() {
			key := name
			for _, label := range metric.GetLabel() {
				key += " " + label.GetValue()
			}
			values[key] = metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		}
	}
	return values
}

func TestWorkloadRunsForRealAndEnds(t *testing.T) {
	fast := Lognormal(2*time.Millisecond, 5*time.Millisecond)
	w, err := Start(t.Context(), Options{
		Shapes: []Shape{
			{Dependency: "a-b", Rate: 200, Latency: fast, Recording: Recorded, Buckets: []float64{.1}},
			{Dependency: "a-c", Rate: 200, Latency: fast, Recording: Dropped, Buckets: []float64{.1, .2}, ErrorRatio: 0.5},
			{Dependency: "b-c", Rate: 200, Latency: Lognormal(time.Minute, time.Hour), Recording: Dropped, Buckets: []float64{.1}},
			{Dependency: "c-d", Rate: 200, Latency: fast, Recording: AtCallee, Buckets: []float64{.1}},
		},
		Dependencies: []config.Dependency{
			{Name: "a-b", Caller: "a", Callee: "b", Policy: policy()},
			{Name: "a-c", Caller: "a", Callee: "c", Policy: policy()},
			{Name: "b-c", Caller: "b", Callee: "c", Policy: config.Policy{Timeout: 10 * time.Millisecond}},
			{Name: "c-d", Caller: "c", Callee: "d", Policy: policy()},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]Target{}
	for _, target := range w.Targets() {
		targets[target.Job] = target
	}
	if len(targets) != 4 || len(w.Targets()) != 4 {
		t.Errorf("targets %v, want one each for a, b, c and d", w.Targets())
	}
	for job, metrics := range map[string][]string{
		"a": {"http_client_request_duration_seconds b", "http_client_request_duration_seconds c", "http_client_errors_total c", "http_client_retries_total c"},
		"b": {"http_client_timeouts_total c", "http_client_fallbacks_total c"},
		"c": {"http_client_calls_total d"},
		"d": {"http_server_request_duration_seconds"},
	} {
		for _, metric := range metrics {
			untilAbove(t, targets[job], metric, 5)
		}
	}
	if lost := scraped(t, targets["b"])["http_client_request_duration_seconds c"]; lost != 0 {
		t.Errorf("%v attempts that were cut off are in a histogram that drops them", lost)
	}
	if err := w.Stop(); err != nil {
		t.Error(err)
	}
	for _, target := range targets {
		if response, err := http.Get("http://" + target.Address + "/metrics"); err == nil {
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			t.Errorf("%s still answers after the end: %.100s", target.Job, body)
		}
	}
}

// untilAbove scrapes until a metric exceeds a value. Only a workload that does
// not work waits for the limit.
func untilAbove(t *testing.T, target Target, metric string, value float64) {
	t.Helper()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		values := scraped(t, target)
		if values[metric] > value {
			return
		}
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("%s of %s is not above %v, it serves %v", metric, target.Job, value, values)
		}
	}
}

func TestStartRefusesAShapeWithoutADependency(t *testing.T) {
	_, err := Start(t.Context(), Options{Shapes: []Shape{{Dependency: "a-b"}}})
	if err == nil || !strings.Contains(err.Error(), `"a-b"`) {
		t.Errorf("error %v, want one that names a-b", err)
	}
}

func TestShapesAreToldApartByName(t *testing.T) {
	names := map[string]bool{}
	for _, s := range Shapes() {
		if names[s.Dependency] {
			t.Errorf("two shapes are named %s", s.Dependency)
		}
		names[s.Dependency] = true
		if s.Shows == "" || s.Rate <= 0 || s.Latency == nil || len(s.Buckets) == 0 {
			t.Errorf("%s is incomplete: %s", s.Dependency, fmt.Sprintf("%+v", s))
		}
	}
}
