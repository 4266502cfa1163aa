package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// withChain adds a chain to a file and gives the mapping, and the rest of the
// path, of the key that is to be set in it.
func withChain(file map[string]any, path string) (map[string]any, string) {
	var dependencies []any
	for _, name := range []string{"checkout-payments", "checkout-stock", "checkout-prices", "payments-db"} {
		dependencies = append(dependencies, map[string]any{"name": name, "latency": map[string]any{"histogram": "h_seconds"}})
	}
	file["dependencies"] = dependencies
	hop := map[string]any{"dependency": "checkout-prices"}
	chain := map[string]any{"name": "page", "deadline": "3s", "hops": []any{hop}}
	if inner, ok := strings.CutPrefix(path, "chains[].hops[]."); ok {
		if inner == "parallel" { // it replaces the dependency
			delete(hop, "dependency")
		}
		file["chains"] = []any{chain}
		return hop, inner
	}
	if inner, ok := strings.CutPrefix(path, "chains[]."); ok {
		file["chains"] = []any{chain}
		return chain, inner
	}
	return file, path
}

// checkChainInvariants wants chains that can be walked: each hop one known call
// or a group, and no call below itself.
func checkChainInvariants(t *testing.T, chains []Chain, known func(name string) bool) {
	t.Helper()
	names := map[string]bool{}
	for _, c := range chains {
		if c.Name == "" || names[c.Name] || c.Line <= 0 {
			t.Errorf("chain %q on line %d: name empty or twice, or no line", c.Name, c.Line)
		}
		names[c.Name] = true
		if c.Deadline <= 0 || c.Deadline > 24*time.Hour || c.Overhead < 0 || c.Edge < 0 || c.Edge >= c.Deadline || len(c.Hops) == 0 {
			t.Errorf("chain %+v", c)
		}
		checkHopInvariants(t, c.Hops, known, nil)
	}
}

func checkHopInvariants(t *testing.T, hops []Hop, known func(name string) bool, above []string) {
	t.Helper()
	for _, h := range hops {
		switch {
		case h.Dependency == "" && (len(h.Parallel) == 0 || len(h.Nested) > 0), h.Dependency != "" && len(h.Parallel) > 0:
			t.Errorf("a hop is not one of the two kinds: %+v", h)
		case h.Dependency != "" && (!known(h.Dependency) || slices.Contains(above, h.Dependency)):
			t.Errorf("%q is unknown, or called below itself: %q", h.Dependency, above)
		}
		checkHopInvariants(t, h.Parallel, known, above)
		checkHopInvariants(t, h.Nested, known, append(slices.Clone(above), h.Dependency))
	}
}

func TestUnknownDependencyAmongManyIsNotAnsweredWithAllOfThem(t *testing.T) {
	var file strings.Builder
	file.WriteString("prometheus: {url: http://prometheus:9090}\nchains: [{name: page, deadline: 2s, hops: [nowhere]}]\ndependencies:\n")
	for i := range 11 {
		fmt.Fprintf(&file, "  - {name: service-%d, latency: {histogram: h_seconds}}\n", i)
	}
	_, err := Parse("config.yaml", []byte(file.String()), knownRules())
	const want = "config.yaml:2: chains[0].hops[0]: unknown dependency nowhere; it is none of the 11 names under dependencies"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestLongCycleIsShortened(t *testing.T) {
	var callers []string
	for i := range 9 {
		callers = append(callers, fmt.Sprint("s", i))
	}
	if got, want := way(append(callers, "s0")), "s0 → s1 → s2 → s3 → s4 → … → s0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
