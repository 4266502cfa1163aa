package recording_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules/recording"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

const ruler = `
global: {evaluation_interval: %s}
rule_files: [%q]
`

// server is a real Prometheus that has evaluated the rules.
type server struct{ url string }

// evaluate starts a Prometheus on the rules of a configuration, of which there
// are thousands, and waits until it has evaluated all.
func evaluate(t *testing.T, cfg *config.Config) server {
	t.Helper()
	s := startRuler(t, cfg, t.TempDir(), "4s")
	s.waitForEveryGroup(t)
	return s
}

// evaluateOn does so for a few rules, on the blocks in dir.
func evaluateOn(t *testing.T, cfg *config.Config, dir string) server {
	t.Helper()
	s := startRuler(t, cfg, dir, "1s")
	s.waitForEveryGroup(t)
	return s
}

func startRuler(t *testing.T, cfg *config.Config, dir, interval string) server {
	t.Helper()
	file := ruleFile(t, cfg, dir)
	p, err := servers.StartPrometheus(t.Context(), servers.PrometheusOptions{Dir: dir, Config: fmt.Sprintf(ruler, interval, file)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return server{p.URL}
}

// ruleFile writes the rules into dir, after promtool has had a look at them.
func ruleFile(t *testing.T, cfg *config.Config, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "recording.yaml")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := recording.Generate(out, cfg, recording.Options{Runbooks: "https://example.com/", HoldFor: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := servers.Promtool(t.Context(), "check", "rules", "--lint=all", "--lint-fatal", file); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// waitForEveryGroup returns when each group has been evaluated twice, and fails
// where a rule did. After once, alerts may not have seen what was recorded, and
// in an empty TSDB the very first group may not even have seen its own.
func (s server) waitForEveryGroup(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	first := map[string]time.Time{}
	for {
		var answer struct {
			Groups []struct {
				Name           string
				LastEvaluation time.Time
				Rules          []struct{ Name, Query, LastError string }
			}
		}
		s.get(t, "/api/v1/rules", &answer)
		waiting := len(answer.Groups) == 0
		for _, g := range answer.Groups {
			for _, r := range g.Rules {
				if r.LastError != "" {
					t.Fatalf("%s: %s\n%s", r.Name, r.LastError, r.Query)
				}
			}
			if g.LastEvaluation.IsZero() {
				waiting = true
				continue
			}
			if _, seen := first[g.Name]; !seen {
				first[g.Name] = g.LastEvaluation
			}
			waiting = waiting || !g.LastEvaluation.After(first[g.Name])
		}
		if !waiting {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatal("some groups were not evaluated twice within two minutes")
		}
	}
}

// values are the values of a series by dependency.
func (s server) values(t *testing.T, query string) map[string]float64 {
	t.Helper()
	found := map[string]float64{}
	for _, r := range s.query(t, query) {
		found[r.Metric["dependency"]] = r.number(t)
	}
	return found
}

type result struct {
	Metric map[string]string
	Value  [2]any
}

func (r result) number(t *testing.T) float64 {
	t.Helper()
	text, _ := r.Value[1].(string)
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func (s server) query(t *testing.T, query string) []result {
	t.Helper()
	var answer struct{ Result []result }
	s.get(t, "/api/v1/query?query="+url.QueryEscape(query), &answer)
	return answer.Result
}

func (s server) get(t *testing.T, path string, data any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer := struct {
		Status, Error string
		Data          any
	}{Data: data}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if answer.Status != "success" {
		t.Fatalf("%s: %s", path, answer.Error)
	}
}
