package config

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestPresetsFillWhatTheFileDoesNotSet(t *testing.T) {
	c := mustParse(t, `
prometheus: {url: http://p:9090}
dependencies:
  - {name: plain, latency: {preset: istio, selector: '{source_workload="web"}'}, policy: {deadline: 1s}}
  - {name: own, latency: {scope: attempt, preset: istio, timeouts: recorded, selector: '{reporter="destination"}'},
     policy: {timeout: 1s, retries: 0}, observed: {timeouts: 'sum(rate(my_timeouts_total[$window]))'}}
  - {name: unary, latency: {preset: grpc-otel-attempt}, policy: {timeout: 1s, retries: 9}}
  - {name: proxy, latency: {preset: envoy, selector: '{envoy_cluster_name="pay"}'}, policy: {deadline: 1s, connect_timeout: 250ms}}
  - {name: "{{a}}", for_each: [a], latency: {preset: envoy}}
`)
	plain, own, unary, proxy := c.Dependencies[0], c.Dependencies[1], c.Dependencies[2], c.Dependencies[3]
	for what, check := range map[string]struct{ got, want any }{
		"histogram":         {plain.Latency.Histogram, "istio_request_duration_milliseconds"},
		"unit":              {plain.Latency.UnitScale, 0.001},
		"scope":             {plain.Latency.Scope, "call"},
		"matchers":          {fmt.Sprint(plain.Latency.Matchers), `[source_workload="web" reporter="source"]`},
		"undeclared":        {fmt.Sprint(plain.Policy.DefaultRetries, " by ", plain.Policy.DefaultBy), "2 by Istio"},
		"timeouts counted":  {plain.Observed.Timeouts, `sum(rate(istio_requests_total{source_workload="web",reporter="source",response_flags=~".*UT.*"}[$window])) or 0 * sum(rate(istio_requests_total{source_workload="web",reporter="source"}[$window]))`},
		"own scope":         {own.Latency.Scope, "attempt"},
		"own timeouts":      {own.Latency.Timeouts, "recorded"},
		"own matcher":       {fmt.Sprint(own.Latency.Matchers), `[reporter="destination"]`},
		"retries declared":  {own.Policy.DefaultRetries, 0},
		"own counter":       {own.Observed.Timeouts, "sum(rate(my_timeouts_total[$window]))"},
		"limit of attempts": {unary.Policy.AttemptLimit, 5},
		"connect":           {fmt.Sprintf("%s %v %v", proxy.Connect.Histogram, proxy.Connect.UnitScale, proxy.Connect.Matchers), `envoy_cluster_upstream_cx_connect_ms 0.001 [envoy_cluster_name="pay"]`},
		"calls":             {proxy.Observed.Calls, `sum(rate(envoy_cluster_upstream_rq_total{envoy_cluster_name="pay"}[$window])) - sum(rate(envoy_cluster_upstream_rq_retry{envoy_cluster_name="pay"}[$window]))`},
		"counter of each":   {c.Templates[0].Expand(map[string]string{"a": `x"`}).Observed.Retries, `sum(rate(envoy_cluster_upstream_rq_retry{a="x\""}[1h]))`},
	} {
		if check.got != check.want {
			t.Errorf("%s is\n%v, want\n%v", what, check.got, check.want)
		}
	}
}

func TestADependencyReplacesThePresetOfTheDefaults(t *testing.T) {
	c := mustParse(t, `
prometheus: {url: http://p:9090}
defaults: {latency: {preset: istio}}
dependencies:
  - {name: same, latency: {selector: '{destination_service="a"}'}}
  - {name: declared, policy: {retries: 1}}
  - {name: other, latency: {histogram: my_seconds}}
  - {name: another, latency: {preset: otel-http-client}}
`)
	same, declared, other, another := c.Dependencies[0], c.Dependencies[1], c.Dependencies[2], c.Dependencies[3]
	if got, want := same.Observed.Calls, `sum(rate(istio_requests_total{destination_service="a",reporter="source"}[$window]))`; got != want {
		t.Errorf("calls by %s, want %s", got, want)
	}
	if declared.Policy.DefaultRetries != 0 || same.Policy.DefaultRetries != 2 {
		t.Errorf("retries nobody declared: %d and %d, want 0 and 2", declared.Policy.DefaultRetries, same.Policy.DefaultRetries)
	}
	for _, d := range []Dependency{other, another} {
		if d.Observed != (Observed{}) || d.Policy.DefaultRetries != 0 {
			t.Errorf("%s counts with Istio's counters: %+v", d.Name, d.Observed)
		}
	}
	if another.Latency.Histogram != "http_client_request_duration_seconds" || another.Latency.Scope != "attempt" || len(another.Latency.Matchers) != 0 {
		t.Errorf("%+v", another.Latency)
	}
}

// Each preset by itself makes a dependency that could be asked for.
func TestEveryPresetIsWhole(t *testing.T) {
	names := map[string]bool{}
	for _, p := range presets() {
		if names[p.name] || p.note == "" || p.source == "" || len(p.labels) == 0 {
			t.Errorf("%s stands twice, or says too little: %+v", p.name, p)
		}
		names[p.name] = true
		entry := fmt.Sprintf("{name: a, latency: {preset: %s%s}, policy: {timeout: 1s, connect_timeout: 1s}}", p.name,
			map[bool]string{true: ", histogram: own_seconds"}[p.histogram == ""])
		c := mustParse(t, "prometheus: {url: http://p:9090}\ndependencies: ["+entry+"]\n")
		checkInvariants(t, c)
		o := c.Dependencies[0].Observed
		for _, query := range []string{o.Attempts, o.Timeouts, o.Retries, o.Calls} {
			if query == "" {
				continue
			}
			if _, err := newParser().ParseExpr(ExpandWindow(query, c.Dependencies[0].Window)); err != nil {
				t.Errorf("%s: %s: %v", p.name, query, err)
			}
		}
	}
}

// presetsPage is what docs/presets.md says about each.
func presetsPage() string {
	var b strings.Builder
	b.WriteString("| preset | histogram | one observation | attempts cut off | labels for `for_each` | counters it knows |\n| --- | --- | --- | --- | --- | --- |\n")
	code := func(s string) string { return "`" + s + "`" }
	for _, p := range presets() {
		histogram := "named by the program"
		if p.histogram != "" {
			histogram = code(p.histogram) + " (" + p.unit + ")"
		}
		var counters, labels []string
		for _, c := range []struct {
			what string
			from counter
		}{{"attempts", p.attempts}, {"timeouts", p.timedOut}, {"retries", p.retries}, {"calls", p.calls}} {
			if c.from.metric == "" {
				continue
			}
			text := c.from.metric
			if len(c.from.match) > 0 {
				text += "{" + c.from.match[0].String() + "}"
			}
			if c.from.less != "" {
				text += " − " + c.from.less
			}
			counters = append(counters, c.what+": "+code(text))
		}
		if p.connect != "" {
			counters = append(counters, "connecting: "+code(p.connect))
		}
		for _, l := range p.labels {
			labels = append(labels, code(l))
		}
		if len(counters) == 0 {
			counters = []string{"none"}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", code(p.name), histogram, p.scope, p.timeouts, strings.Join(labels, ", "), strings.Join(counters, "; "))
	}
	b.WriteString("\n")
	for _, p := range presets() {
		fmt.Fprintf(&b, "- **%s** (%s). %s\n", p.name, p.source, p.note)
	}
	return b.String()
}

func TestPresetsAreDocumented(t *testing.T) {
	path := filepath.Join("..", "docs", "presets.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := regexp.MustCompile(`(?s)<!-- presets -->\n.*?<!-- /presets -->`).ReplaceAllLiteralString(string(data), "<!-- presets -->\n"+presetsPage()+"<!-- /presets -->")
	compareGolden(t, path, page)
}
