package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/timeout-auditor/timeout-auditor/nearest"
)

// chainDraft is a chain while it is read. Its hops wait until the names of all
// dependencies are known.
type chainDraft struct {
	Chain
	hops *value
}

func chainFields() []field[chainDraft] {
	return []field[chainDraft]{
		{name: "name", kind: "text", absent: "required", example: "product-page",
			means: "The `chain` label. Unique among chains; at most 500 characters, none of them a control character.",
			read:  name(func(c *chainDraft) *string { return &c.Name })},
		{name: "caller", kind: "text", absent: "empty", example: "gateway",
			means: "The `caller` label: who makes the first calls.",
			read:  name(func(c *chainDraft) *string { return &c.Caller })},
		{name: "owner", kind: "text", absent: "empty", example: "team-shop",
			means: "The `owner` label, by which alerts reach the right team.",
			read:  name(func(c *chainDraft) *string { return &c.Owner })},
		{name: "deadline", kind: "duration", absent: "required", example: "2s",
			means: "How long all of the chain may take. Above 0, at most 24h.",
			read:  duration(attempt(), func(c *chainDraft) *time.Duration { return &c.Deadline })},
		{name: "overhead", kind: "duration", initial: "0s", example: "5ms",
			means: "What each attempt costs beside the callee's own latency, such as queues and serialization. 0 to 24h.",
			read:  duration(pause(), func(c *chainDraft) *time.Duration { return &c.Overhead })},
		{name: "edge", kind: "duration", initial: "0s", example: "40ms",
			means: "What the entry itself spends: TLS, authentication, rendering. 0 to 24h, and below `deadline`.",
			read:  duration(pause(), func(c *chainDraft) *time.Duration { return &c.Edge })},
		{name: "hops", kind: "list", absent: "required", example: "[checkout-payments, {parallel: [checkout-stock, checkout-prices]}]",
			means: "The calls, one after another: each the name of a dependency, or a mapping of the keys below. At least one.",
			read:  func(v value, c *chainDraft) { c.hops = &v },
			keys:  func() []keyInfo { return inList(describe(hopFields())) }},
	}
}

// inList puts keys into the elements of a list.
func inList(keys []keyInfo) []keyInfo {
	for i := range keys {
		keys[i].path = "[]." + keys[i].path
	}
	return keys
}

// readChains reads the chains over the dependencies that were read before.
func (r *reader) readChains(f *fileDraft) {
	if f.chains == nil {
		return
	}
	items, _ := f.chains.items()
	known := r.knownDependencies(f)
	named := map[string]value{}
	for _, item := range items {
		c := chainDraft{Chain: Chain{Line: item.line}}
		if !item.readChain(known, &c) {
			continue
		}
		f.Chains = append(f.Chains, c.Chain)
		if c.Name == "" {
			continue // refused already
		}
		r.unique(named, item, c.Name)
	}
}

// knownNames are the names that a hop may have.
type knownNames struct {
	names    []string         // nil: some could not be read, any name may be one of those
	patterns []*regexp.Regexp // of what for_each makes
}

func (k knownNames) has(name string) bool {
	return k.names == nil && k.patterns == nil || slices.Contains(k.names, name) ||
		slices.ContainsFunc(k.patterns, func(p *regexp.Regexp) bool { return p.MatchString(name) })
}

func (r *reader) knownDependencies(f *fileDraft) knownNames {
	if f.dependencies == nil || f.dependencies.node.Kind != yaml.SequenceNode {
		return knownNames{}
	}
	known := knownNames{names: make([]string, 0, len(f.Dependencies))}
	for _, d := range f.Dependencies {
		if d.Name != "" {
			known.names = append(known.names, d.Name)
		}
	}
	for _, t := range f.Templates {
		if t.Name != "" {
			known.patterns = append(known.patterns, t.names())
		}
	}
	if read := len(known.names) + len(known.patterns); read == 0 || read < len(f.dependencies.node.Content) {
		return knownNames{}
	}
	return known
}

// readChain is false when the value is no chain at all.
func (v value) readChain(known knownNames, c *chainDraft) bool {
	if isNull(v.node) {
		v.refuse("must be a mapping of keys to values%s", v.got())
		return false
	}
	fields := chainFields()
	fillInitial(fields, c)
	if !readMapping(v, fields, c) {
		return false
	}
	nameKey := v.path + ".name"
	switch m, set := v.seen[nameKey]; {
	case !set:
		v.problem(v.line, nameKey, "is missing; every chain needs one of its own")
	case m.sound && c.Name == "":
		v.problem(m.line, nameKey, "must not be empty")
	}
	if _, set := v.seen[v.path+".deadline"]; !set {
		v.problem(v.line, v.path+".deadline", "is missing; how long may all of it take?")
	}
	if c.Deadline > 0 && c.Edge >= c.Deadline {
		scope{reader: v.reader, own: v.path}.conflict([]string{"edge", "deadline"},
			"edge %s must be below deadline %s, or no call fits in", spell(c.Edge), spell(c.Deadline))
	}
	if c.hops == nil {
		v.problem(v.line, v.path+".hops", "is missing; it lists the names of dependencies in the order of the calls")
		return true
	}
	c.Hops = hopReader{known: known}.list(*c.hops)
	if m := v.seen[c.hops.path]; m.sound && len(c.Hops) == 0 && len(c.hops.node.Content) == 0 {
		c.hops.refuse("must hold at least one hop%s", gotNothing(*c.hops))
	}
	return true
}

// gotNothing is how a message about an empty list ends.
func gotNothing(v value) string {
	if isNull(v.node) {
		return v.got()
	}
	return ", got none"
}

// way writes who calls whom.
func way(callers []string) string {
	shown := make([]string, len(callers))
	for i, c := range callers {
		shown[i] = show(c)
	}
	const most = 6
	if len(shown) > most {
		shown = slices.Concat(shown[:most-1], []string{"…"}, shown[len(shown)-1:])
	}
	return strings.Join(shown, " → ")
}

// suggestDependency says what a name that no dependency has may have meant.
func suggestDependency(name string, known []string) string {
	if near := nearest.Name(name, known); near != "" {
		return "did you mean " + show(near) + "?"
	}
	const most = 10
	if len(known) > most {
		return fmt.Sprintf("it is none of the %d names under dependencies", len(known))
	}
	shown := make([]string, len(known))
	for i, k := range known {
		shown[i] = show(k)
	}
	return "known are " + enumerate(shown, "and")
}
