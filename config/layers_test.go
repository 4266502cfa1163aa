package config

import (
	"strings"
	"testing"
)

// withConnectOrLayer puts what a key of connect or of a layer needs beside it.
func withConnectOrLayer(at map[string]any, path string) (map[string]any, string) {
	if strings.HasPrefix(path, "connect") {
		at["policy"] = map[string]any{"connect_timeout": "100ms"}
		at["connect"] = map[string]any{"histogram": "connect_seconds"}
	}
	if inner, ok := strings.CutPrefix(path, "policy.layers[]."); ok {
		layer := map[string]any{"name": "library"}
		at["policy"] = map[string]any{"layers": []any{layer}}
		return layer, inner
	}
	return at, path
}

func TestConnectAndLayersSayWhatIsWrong(t *testing.T) {
	for name, tc := range map[string]struct{ lines, want string }{
		"connect without its timeout": {"connect: {histogram: c_seconds}",
			"c.yaml:5: dependencies[0].connect: needs policy.connect_timeout to be judged against, and it is not set"},
		"connect without a histogram": {"connect: {kind: classic}",
			"c.yaml:5: dependencies[0].connect: needs histogram, a name such as http_client_connect_duration_seconds"},
		"connect of an unknown unit": {"connect: {histogram: c_us}\n    policy: {connect_timeout: 1s}",
			"c.yaml:5: dependencies[0].connect.histogram: unit auto does not fit c_us"},
		"connect with a key of latency's": {"connect: {histogram: c_seconds, scope: call}\n    policy: {connect_timeout: 1s}",
			"c.yaml:5: dependencies[0].connect.scope: unknown key"},
		"a layer without a name": {"policy: {layers: [{attempts: 2}]}",
			"c.yaml:5: dependencies[0].policy.layers[0].name: is missing"},
		"a layer of no attempts": {"policy: {layers: [{name: mesh, attempts: 0}]}",
			"c.yaml:5: dependencies[0].policy.layers[0].attempts: must be"},
		"an unknown key of a layer": {"policy: {layers: [{name: mesh, atempts: 2}]}",
			"unknown key; did you mean attempts?"},
		"a layer that is text": {"policy: {layers: [mesh]}",
			"c.yaml:5: dependencies[0].policy.layers[0]: must be a mapping"},
		"an empty layer": {"policy: {layers: [null]}",
			"c.yaml:5: dependencies[0].policy.layers[0]: must be a mapping"},
		"layers that are a mapping": {"policy: {layers: {name: mesh}}",
			"c.yaml:5: dependencies[0].policy.layers: must be a list"},
		"attempts beyond all sense": {"policy: {retries: 4, layers: [{name: library, attempts: 5}, {name: mesh, attempts: 5}]}",
			"c.yaml:5: dependencies[0].policy.layers: retries and layers multiply to 125 attempts of one call, at most 101"},
	} {
		_, err := Parse("c.yaml", []byte("prometheus: {url: http://p}\ndependencies:\n  - name: a\n    latency: {histogram: h_seconds}\n    "+tc.lines+"\n"), Options{})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got\n%v\nwant\n%s", name, err, tc.want)
		}
	}
}

func TestConnectAndLayersAreRead(t *testing.T) {
	c, err := Parse("c.yaml", []byte(`
prometheus: {url: http://p}
defaults:
  policy: {layers: [{name: mesh, attempts: 2}]}
dependencies:
  - name: a
    latency: {histogram: h_seconds}
    connect: {histogram: connect_ms, timeouts: dropped}
    policy: {connect_timeout: 250ms}
  - name: b
    latency: {histogram: h_seconds}
    policy: {layers: []}
`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := c.Dependencies[0], c.Dependencies[1]
	if a.Connect == nil || a.Connect.UnitScale != 0.001 || a.Connect.Scope != "attempt" || a.Connect.Timeouts != "dropped" || a.Connect.Kind != "auto" {
		t.Errorf("connect %+v", a.Connect)
	}
	if len(a.Policy.Layers) != 1 || a.Policy.Layers[0] != (Layer{Name: "mesh", Attempts: 2}) {
		t.Errorf("layers %+v, want the default", a.Policy.Layers)
	}
	if b.Connect != nil || len(b.Policy.Layers) != 0 {
		t.Errorf("b has connect %+v and layers %+v", b.Connect, b.Policy.Layers)
	}
}
