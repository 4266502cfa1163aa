package config

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// Aliases make long lists of short files, and a list may hold itself.
const (
	maxHops     = 10_000 // in one file
	maxHopDepth = 20     // of nested and parallel hops
)

// hopDraft is a hop while it is read.
type hopDraft struct {
	dependency, nested, parallel *value
}

func hopFields() []field[hopDraft] {
	return []field[hopDraft]{
		{name: "dependency", kind: "text", absent: "required, or `parallel` in its place", example: "checkout-payments",
			means: "Name of a dependency.",
			read:  func(v value, h *hopDraft) { h.dependency = &v }},
		{name: "nested", kind: "list", absent: "none", example: "[payments-db]",
			means: "Hops that the callee makes in turn, one after another, while `dependency` waits. A dependency may not call itself below itself.",
			read:  func(v value, h *hopDraft) { h.nested = &v }},
		{name: "parallel", kind: "list", absent: "none", example: "[checkout-stock, checkout-prices]",
			means: "Hops that are made at once, at least one. It stands alone, without `dependency` and `nested`.",
			read:  func(v value, h *hopDraft) { h.parallel = &v }},
	}
}

// hopReader reads hops at one place of a chain.
type hopReader struct {
	known knownNames
	above []string // the dependencies that wait for these calls, outermost first
	depth int
}

// list reads hops one after another. What cannot be read is left out.
func (h hopReader) list(v value) []Hop {
	items, ok := v.items()
	if !ok {
		return nil
	}
	if h.depth++; h.depth > maxHopDepth {
		if !v.tooDeep {
			v.refuse("hops are nested more than %d deep", maxHopDepth)
		}
		v.tooDeep = true
		return nil
	}
	var hops []Hop
	for _, item := range items {
		if v.hops++; v.hops == maxHops+1 {
			item.refuse("too many hops, more than %d in this file", maxHops)
		}
		if v.hops > maxHops {
			return hops
		}
		if hop, ok := h.hop(item); ok {
			hops = append(hops, hop)
		}
	}
	return hops
}

func (h hopReader) hop(v value) (Hop, bool) {
	if v.node.Kind != yaml.MappingNode {
		name, ok := h.dependency(v, "the name of a dependency, or a mapping of dependency and nested, or of parallel")
		return Hop{Dependency: name}, ok
	}
	var d hopDraft
	before := len(v.problems)
	if !readMapping(v, hopFields(), &d) {
		return Hop{}, false
	}
	switch {
	case d.parallel != nil && (d.dependency != nil || d.nested != nil):
		d.parallel.refuse("stands alone; make a hop of its own of it, beside dependency and nested")
	case d.parallel != nil:
		return h.parallel(*d.parallel)
	case d.dependency != nil:
		return h.call(d)
	case len(v.problems) == before: // else a slip in the key is reported already
		v.problem(v.line, v.path+".dependency", "is missing; a hop has a dependency, or parallel in its place")
	}
	return Hop{}, false
}

// call reads a dependency with what its callee calls in turn.
func (h hopReader) call(d hopDraft) (Hop, bool) {
	name, ok := h.dependency(*d.dependency, "the name of a dependency")
	hop := Hop{Dependency: name}
	if d.nested != nil {
		inner := h
		if ok {
			inner.above = append(slices.Clone(h.above), name)
		}
		hop.Nested = inner.list(*d.nested)
	}
	return hop, ok
}

func (h hopReader) parallel(v value) (Hop, bool) {
	before := len(v.problems)
	hops := h.list(v)
	if len(hops) == 0 && len(v.problems) == before {
		v.refuse("must hold at least one hop%s", gotNothing(v))
	}
	return Hop{Parallel: hops}, len(hops) > 0
}

func (h hopReader) dependency(v value, want string) (string, bool) {
	if v.node.Kind != yaml.ScalarNode || isNull(v.node) {
		v.refuse("must be %s%s", want, v.got())
		return "", false
	}
	name, ok := v.name()
	switch {
	case !ok:
		return "", false
	case name == "":
		v.refuse("must be %s%s", want, v.got())
		return "", false
	case !h.known.has(name):
		v.refuse("unknown dependency %s; %s", show(name), suggestDependency(name, h.known.names))
		return "", false
	case slices.Contains(h.above, name):
		v.refuse("must not be called below itself: %s", way(append(slices.Clone(h.above), name)))
		return "", false
	}
	return name, true
}
