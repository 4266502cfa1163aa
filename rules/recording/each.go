package recording

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// entryLabel tells the series of one entry with for_each, under one of its
// policies, from all others.
const entryLabel = "entry"

// each is how rules read all dependencies of an entry at once: grouped by the
// labels of for_each.
type each struct {
	by     []string
	names  map[string]string // label → its text with {{label}}
	except []string          // PromQL for those that another policy is for
}

// eachOf returns a subject for each policy that an entry has: one for every
// override, and one for the rest.
func eachOf(t config.Template) []subject {
	var (
		all    []subject
		except []string
	)
	add := func(dep config.Dependency, match []*labels.Matcher) {
		dep.Latency.Matchers = append(slices.Clone(dep.Latency.Matchers), match...)
		dep.ErrorRatio.Query = withoutVariables(dep.ErrorRatio.Query)
		name := fmt.Sprintf("%s#%d", t.Name, len(all)+1)
		e := each{by: t.ForEach, names: map[string]string{}, except: slices.Clone(except)}
		s := subject{dep: dep, policy: policyOf(dep), labels: map[string]string{entryLabel: name}, own: equal(entryLabel, name), each: &e}
		for label, text := range names(dep) {
			switch {
			case placeholder().MatchString(text):
				e.names[label] = text
			case text != "":
				s.labels[label] = text
			}
		}
		all = append(all, s)
		except = append(except, strings.Join(forms(dep.Latency, func(f form) string {
			return fmt.Sprintf("group by (%s) (last_over_time(%s[%s]))", grouping(t.ForEach), f.totals(), model.Duration(dep.Window))
		}), " or "))
	}
	for _, o := range t.Overrides {
		add(o.Dependency, o.Match)
	}
	add(t.Dependency, nil)
	return all
}

// withoutVariables leaves out a query that differs from dependency to
// dependency. What follows from it is absent then, with its reason.
func withoutVariables(query string) string {
	if regexp.MustCompile(`\$[a-zA-Z_]`).MatchString(strings.ReplaceAll(query, "$window", "")) {
		return "vector(NaN)"
	}
	return query
}

// uncovered says why rules cannot read an entry by its labels, "" where they
// can.
func uncovered(t config.Template) string {
	deps := []config.Dependency{t.Dependency}
	for _, o := range t.Overrides {
		deps = append(deps, o.Dependency)
	}
	for _, dep := range deps {
		for _, m := range dep.Latency.Matchers {
			if strings.Contains(m.Value, "$") {
				return fmt.Sprintf("its selector depends on the labels of for_each: %s", m)
			}
		}
		for label, text := range names(dep) {
			if slices.Contains(t.ForEach, label) && strings.TrimSpace(text) != "" && strings.ReplaceAll(text, " ", "") != "{{"+label+"}}" {
				return fmt.Sprintf("its %s is not the label %s that for_each reads", label, label)
			}
		}
	}
	return ""
}

// without leaves out the dependencies that another policy is for.
func (e each) without(expr string) string {
	for _, other := range e.except {
		expr = fmt.Sprintf("(%s)\nunless on (%s) (%s)", expr, grouping(e.by), other)
	}
	return expr
}

// named puts dependency, caller, callee and owner together out of the labels.
func (e each) named(expr string) string {
	for _, label := range []string{"dependency", "caller", "callee", "owner"} {
		if text, templated := e.names[label]; templated {
			expr = joined(expr, label, text)
		}
	}
	return expr
}

// joined fills a text with {{label}} into a label. PromQL joins labels only, so
// what stands between them becomes labels for a moment.
func joined(expr, label, text string) string {
	var parts, scratch []string
	literal := func(text string) {
		if text == "" {
			return
		}
		name := fmt.Sprintf("__text%d", len(scratch))
		expr = fmt.Sprintf(`label_replace(%s, %q, %s, "", "")`, expr, name, strconv.Quote(strings.ReplaceAll(text, "$", "$$")))
		scratch, parts = append(scratch, name), append(parts, strconv.Quote(name))
	}
	rest := 0
	for _, at := range placeholder().FindAllStringSubmatchIndex(text, -1) {
		literal(text[rest:at[0]])
		parts, rest = append(parts, strconv.Quote(text[at[2]:at[3]])), at[1]
	}
	literal(text[rest:])
	expr = fmt.Sprintf(`label_join(%s, %q, "", %s)`, expr, label, strings.Join(parts, ", "))
	for _, name := range scratch {
		expr = fmt.Sprintf(`label_replace(%s, %q, "", "", "")`, expr, name)
	}
	return expr
}

func placeholder() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*([^{}\s]+)\s*\}\}`) }

// grouping lists labels as by (…) takes them.
func grouping(by []string) string {
	var all []string
	for _, label := range by {
		if !model.LegacyValidation.IsValidLabelName(label) {
			label = strconv.Quote(label)
		}
		all = append(all, label)
	}
	return strings.Join(all, ", ")
}
