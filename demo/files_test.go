package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/demo/workload"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

func dependencies(t *testing.T) map[string]config.Dependency {
	t.Helper()
	text, err := render("config.yaml", addresses{Prometheus: "http://127.0.0.1:9090"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse("config.yaml", []byte(text), config.Options{Rules: rules.Codes()})
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]config.Dependency{}
	for _, d := range c.Dependencies {
		named[d.Name] = d
	}
	return named
}

func TestEveryDependencyHasAShapeAndAnOwner(t *testing.T) {
	named := dependencies(t)
	for _, shape := range workload.Shapes() {
		d, ok := named[shape.Dependency]
		if !ok {
			t.Errorf("config.yaml has no dependency %s", shape.Dependency)
			continue
		}
		delete(named, shape.Dependency)
		if d.Caller == "" || d.Callee == "" || d.Owner == "" {
			t.Errorf("%s lacks a caller, a callee or an owner: %+v", d.Name, d)
		}
		want := map[workload.Recording]string{
			workload.Recorded: "recorded", workload.Dropped: "dropped", workload.AtCallee: "uncensored",
		}[shape.Recording]
		if got := d.Latency.Timeouts; got != want && got != "auto" {
			t.Errorf("%s is declared as %s and is %s", d.Name, got, want)
		}
	}
	for name := range named {
		t.Errorf("no shape makes the calls of %s", name)
	}
}

// What each shape is there to show has to be so, with room for a slow machine.
// Seeds are fixed; a share near 1% of 50,000 draws is known to ±0.04%.
func TestShapesAreWhatTheySayTheyAre(t *testing.T) {
	named := dependencies(t)
	for name, want := range map[string]struct{ least, most float64 }{
		"checkout-payments": {0.03, 0.06},   // far above 1%: pages
		"search-index":      {0, 0.0001},    // comfortable
		"catalog-prices":    {0.004, 0.008}, // below 1%, above its target of 0.2%
		"checkout-fraud":    {0.0015, 0.0035},
		"reports-warehouse": {0.01, 0.05}, // too much, but no bucket tells
		"mail-smtp":         {0, 0.0001},
	} {
		for _, shape := range workload.Shapes() {
			if shape.Dependency != name {
				continue
			}
			above := shareAbove(shape, named[name].Policy.Timeout)
			if above < want.least || above > want.most {
				t.Errorf("%s: %.4g of attempts take longer than the timeout, want %g to %g", name, above, want.least, want.most)
			}
			last := shape.Buckets[len(shape.Buckets)-1]
			if unknowable := last < named[name].Policy.Timeout.Seconds(); unknowable != (name == "reports-warehouse") {
				t.Errorf("%s: buckets end at %g s, the timeout is %v", name, last, named[name].Policy.Timeout)
			}
		}
	}
}

func shareAbove(shape workload.Shape, timeout time.Duration) float64 {
	draw := rand.New(rand.NewPCG(1, 1))
	const n = 50_000
	above := 0
	for call := range uint64(n) {
		if shape.Latency(workload.Request{Call: call, At: time.Duration(call) * 10 * time.Millisecond}, draw) > timeout {
			above++
		}
	}
	return float64(above) / n
}

func TestServersAreToldWhereTheOthersAre(t *testing.T) {
	prometheus, err := render("prometheus.yml", addresses{
		Alertmanager: "127.0.0.1:1", Targets: []workload.Target{{Job: "checkout", Address: "127.0.0.1:2"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`targets: ["127.0.0.1:1"]`, "job_name: checkout", `targets: ["127.0.0.1:2"]`, "rules.yaml"} {
		if !strings.Contains(prometheus, want) {
			t.Errorf("prometheus.yml lacks %q:\n%s", want, prometheus)
		}
	}
	alertmanager, err := render("alertmanager.yml", addresses{Receiver: "http://127.0.0.1:3/alerts"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(alertmanager, `url: "http://127.0.0.1:3/alerts"`) {
		t.Errorf("alertmanager.yml does not name the receiver:\n%s", alertmanager)
	}
}
