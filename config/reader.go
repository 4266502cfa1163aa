package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Merges of merges grow exponentially, and a merge may name itself.
const (
	maxMerged     = 100_000 // mappings that merge keys (<<) pull in, in one file
	maxMergeDepth = 10
)

// reader collects problems and remembers which keys a file sets.
type reader struct {
	file     string
	rules    []string
	problems Problems
	seen     map[string]mark // by path
	labels   []string        // of the for_each of the entry that is read
	merged   int
	hops     int
	tooDeep  bool // hops are
}

// mark is a key that the file sets.
type mark struct {
	line  int
	sound bool // its value could be read
}

func newReader(file string, rules []string) *reader {
	return &reader{file: file, rules: rules, seen: map[string]mark{}}
}

// problem adds one. Words of a library may be in it that quote the file, so
// what looks like credentials in a URL is hidden here once more.
func (r *reader) problem(line int, path, format string, args ...any) {
	message := regexp.MustCompile(`://\S*@`).ReplaceAllLiteralString(fmt.Sprintf(format, args...), "://<hidden>@")
	r.problems = append(r.problems, Problem{File: r.file, Line: line, Path: path, Message: message})
}

// value is a node of the file at its path.
type value struct {
	*reader
	path   string
	line   int // of its key
	node   *yaml.Node
	secret bool // never shown
}

// refuse reports a problem with the value.
func (v value) refuse(format string, args ...any) {
	v.problem(v.line, v.path, format, args...)
	v.seen[v.path] = mark{line: v.line}
}

// got is how a message ends that says what the file holds.
func (v value) got() string {
	switch {
	case isNull(v.node):
		return ", got nothing"
	case v.node.Kind == yaml.SequenceNode:
		return ", got a list"
	case v.node.Kind == yaml.MappingNode:
		return ", got a mapping"
	case v.secret:
		return ""
	}
	return ", got " + show(v.node.Value)
}

// show makes text fit into a message: short, on one line, and quoted where
// its edges would be unclear.
func show(text string) string {
	const longest = 80
	text = shorten(withoutCredentials(text), longest)
	odd := func(r rune) bool { return r == '"' || r == '\\' || !unicode.IsGraphic(r) || unicode.IsSpace(r) }
	if text == "" || strings.IndexFunc(text, odd) >= 0 {
		return strconv.Quote(text)
	}
	return text
}

// withoutCredentials hides what a URL holds before its host. Where a text may
// be a URL, an @ anywhere in it is taken for the end of credentials.
func withoutCredentials(text string) string {
	scheme, rest, isURL := strings.Cut(text, "://")
	at := strings.LastIndex(rest, "@")
	if !isURL || at < 0 {
		return text
	}
	return scheme + "://<hidden>" + rest[at:]
}

func shorten(text string, longest int) string {
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest]) + "…"
}

// child is the value of a key inside v.
func (v value) child(key string, line int, node *yaml.Node) value {
	return value{reader: v.reader, path: join(v.path, key), line: line, node: resolve(node), secret: v.secret}
}

// join adds a key to a path, in brackets where it is no plain word.
func join(path, key string) string {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' && r != '<'
	}
	switch {
	case key == "" || strings.ContainsFunc(key, odd):
		const longest = 60
		return path + "[" + strconv.Quote(shorten(key, longest)) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

// items gives the elements of a list; false after a refusal.
func (v value) items() ([]value, bool) {
	if isNull(v.node) {
		return nil, true
	}
	if v.node.Kind != yaml.SequenceNode {
		v.refuse("must be a list%s", v.got())
		return nil, false
	}
	items := make([]value, len(v.node.Content))
	for i, n := range v.node.Content {
		items[i] = value{reader: v.reader, path: fmt.Sprintf("%s[%d]", v.path, i), line: n.Line, node: resolve(n), secret: v.secret}
	}
	return items, true
}

// pair is a key of a mapping with its value.
type pair struct {
	key   string
	value value
}

// pairs gives the keys of a mapping, those of merge keys last and only where
// the mapping itself does not set them. A null is a mapping without keys: a
// section whose every line is commented out. False after a refusal.
func (v value) pairs() ([]pair, bool) {
	if isNull(v.node) {
		return nil, true
	}
	if v.node.Kind != yaml.MappingNode {
		v.refuse("must be a mapping of keys to values%s", v.got())
		return nil, false
	}
	own, merges := v.ownPairs()
	for _, m := range merges {
		for _, p := range m.mergedPairs(1) {
			if !slices.ContainsFunc(own, func(o pair) bool { return o.key == p.key }) {
				p.value.path = join(v.path, p.key)
				own = append(own, p)
			}
		}
	}
	for _, p := range own {
		v.seen[p.value.path] = mark{line: p.value.line, sound: true}
	}
	return own, true
}

// ownPairs gives the keys written in the mapping itself, and its merges.
func (v value) ownPairs() (own []pair, merges []value) {
	lines := map[string]int{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		key, node := resolve(v.node.Content[i]), v.node.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			v.problem(key.Line, v.path, "a key must be text")
			continue
		}
		line := v.node.Content[i].Line
		child := v.child(key.Value, line, node)
		if key.ShortTag() == "!!merge" {
			merges = append(merges, child)
			continue
		}
		if first, twice := lines[key.Value]; twice {
			v.problem(line, child.path, "is set twice, first on line %d", first)
			continue
		}
		lines[key.Value] = line
		own = append(own, pair{key.Value, child})
	}
	return own, merges
}

// mergedPairs gives what the merge key v brings in: a mapping, or a list of
// them of which earlier ones win.
func (v value) mergedPairs(depth int) []pair {
	if depth > maxMergeDepth {
		v.refuse("merges are nested more than %d deep", maxMergeDepth)
		return nil
	}
	sources := []value{v}
	if v.node.Kind == yaml.SequenceNode {
		sources, _ = v.items()
	}
	var all []pair
	for _, source := range sources {
		v.merged++
		if v.merged == maxMerged {
			v.refuse("merges too many mappings, more than %d in this file", maxMerged)
		}
		if v.merged >= maxMerged {
			return nil
		}
		if source.node.Kind != yaml.MappingNode {
			source.refuse("a merge key takes a mapping or a list of mappings%s", source.got())
			continue
		}
		own, merges := source.ownPairs()
		all = append(all, own...)
		for _, m := range merges {
			all = append(all, m.mergedPairs(depth+1)...)
		}
	}
	return all
}
