package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/nearest"
)

// suggestKey says what a key that is not known at a path may have meant: the
// nearest of the known ones, a key of that very name further inside, the only
// one that has it for a first or last word, or a key of that name elsewhere.
func suggestKey(path, key string, known []string) string {
	if near := nearest.Name(key, known); near != "" {
		return "did you mean " + near + "?"
	}
	inside, elsewhere := namesakes(path, key)
	if inside == "" {
		inside = onlyLonger(key, known)
	}
	switch {
	case inside != "":
		return "did you mean " + inside + "?"
	case elsewhere != "":
		return "did you mean " + elsewhere + "?"
	}
	return "known here are " + enumerate(known, "and")
}

// namesakes finds keys of the same name below a path, and anywhere.
func namesakes(path, key string) (inside, elsewhere string) {
	path = regexp.MustCompile(`^defaults|\[[0-9]+\]`).ReplaceAllStringFunc(path, func(found string) string {
		if found == "defaults" {
			return "dependencies[]"
		}
		return "[]"
	})
	for _, k := range documentKeys() {
		if k.path[strings.LastIndex(k.path, ".")+1:] != key {
			continue
		}
		if elsewhere == "" {
			elsewhere = k.path
		}
		if inside == "" && strings.HasPrefix(k.path, path) {
			inside = k.path
		}
	}
	return inside, elsewhere
}

// onlyLonger is the one known key that begins or ends with the word.
func onlyLonger(key string, known []string) string {
	longer := slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		return !strings.HasPrefix(k, key+"_") && !strings.HasSuffix(k, "_"+key)
	})
	if len(longer) != 1 {
		return ""
	}
	return longer[0]
}

// enumerate writes words as a sentence does: "a, b or c".
func enumerate(words []string, conjunction string) string {
	switch n := len(words); n {
	case 0:
		return "none"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " " + conjunction + " " + words[n-1]
	}
}
