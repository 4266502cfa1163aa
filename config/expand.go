package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
)

// Found is what was found for a template: the values of its labels, a
// combination each.
type Found struct {
	Template Template
	Series   []map[string]string
}

// Expand returns the dependencies that stand in the file and those that were
// found, at most MaxDependencies of each template, in the order of their values.
// No two have one name: those that would are told apart by their labels.
func Expand(declared []Dependency, found []Found) []Dependency {
	all := slices.Clone(declared)
	taken := map[string]int{}
	for _, d := range declared {
		taken[d.Name]++
	}
	first := len(all)
	for _, f := range found {
		series := f.Sorted()
		for _, values := range series[:min(len(series), f.Template.MaxDependencies)] {
			d := f.Template.Expand(values)
			taken[d.Name]++
			all = append(all, d)
		}
	}
	used := map[string]bool{}
	for i := range all {
		d := &all[i]
		if i >= first && (taken[d.Name] > 1 || d.Name == "") {
			d.Name += labels.FromMap(d.Series).String()
		}
		if used[d.Name] {
			d.Name += fmt.Sprintf(" (line %d)", d.Line)
		}
		used[d.Name] = true
	}
	return all
}

// Sorted returns the combinations by their values, so that a limit keeps the
// same ones in every cycle.
func (f Found) Sorted() []map[string]string {
	sorted := slices.Clone(f.Series)
	slices.SortFunc(sorted, func(x, y map[string]string) int {
		for _, label := range f.Template.ForEach {
			if c := strings.Compare(x[label], y[label]); c != 0 {
				return c
			}
		}
		return 0
	})
	return sorted
}

// Dropped is how many combinations the limit leaves out.
func (f Found) Dropped() int { return max(0, len(f.Series)-f.Template.MaxDependencies) }
