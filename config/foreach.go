package config

import (
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/nearest"
)

// templateDraft is what makes a template of an entry, while it is read.
type templateDraft struct {
	forEach   []string
	most      int
	overrides *value
}

func templateFields() []field[draft] {
	return []field[draft]{
		{name: "for_each", kind: "list of label names", absent: "the entry is one dependency", example: "[caller, callee]",
			means: "Makes one dependency of each combination of values that these labels have on the histogram's series, in every cycle anew. `name`, `caller`, `callee` and `owner` may hold `{{label}}`, `name` must hold each; `selector` and PromQL may hold `$label` inside quotes.",
			read:  readForEach},
		{name: "max_dependencies", kind: "whole number", initial: "5000", example: "20000",
			means: "Most dependencies of a `for_each`. More is a finding, and the first by the values of the labels are kept. 1 to 100000.",
			read:  whole(limits{min: 1, max: 100_000}, func(d *draft) *int { return &d.template.most })},
		{name: "overrides", kind: "list", absent: "none", example: "[{match: {callee: 'search.*'}, policy: {timeout: 300ms}}]",
			means: "What a `for_each` changes for some: `match`, regular expressions for values of its labels, and any other key of a dependency. The first element that matches counts.",
			read:  func(v value, d *draft) { d.template.overrides = &v },
			keys:  func() []keyInfo { return inList(describe([]field[overrideDraft]{matchField()})) }},
	}
}

func readForEach(v value, d *draft) {
	items, ok := v.items()
	if !ok {
		return
	}
	if len(items) == 0 {
		v.refuse("must name at least one label%s", gotNothing(v))
		return
	}
	for _, item := range items {
		text, ok := item.scalar("a label name")
		switch {
		case !ok:
		case !model.UTF8Validation.IsValidLabelName(text) || len(text) > maxName || !groupsBy(text):
			item.refuse("must be a label name%s", item.got())
		case text == model.MetricNameLabel || text == labels.BucketLabel:
			item.refuse("must be a label that dependencies differ in%s", item.got())
		case slices.Contains(d.template.forEach, text):
			item.refuse("names %s twice", show(text))
		default:
			d.template.forEach = append(slices.Clone(d.template.forEach), text)
		}
	}
}

// variables are the labels that an entry's for_each names, read ahead of its
// other keys, which may stand before it.
func (v value) variables() []string {
	var ahead draft
	silent := value{reader: newReader(v.file, nil), path: v.path, line: v.line, node: v.node}
	pairs, _ := silent.pairs()
	for _, p := range pairs {
		if p.key == "for_each" {
			readForEach(p.value, &ahead)
		}
	}
	return ahead.template.forEach
}

// overrideDraft is an element of overrides while it is read.
type overrideDraft struct {
	draft
	match []*labels.Matcher
}

func matchField() field[overrideDraft] {
	return field[overrideDraft]{name: "match", kind: "mapping", absent: "required", example: "{callee: 'search.*'}",
		means: "Regular expressions by label, each over the whole value.",
		read:  readMatch}
}

func readMatch(v value, o *overrideDraft) {
	pairs, ok := v.pairs()
	if !ok {
		return
	}
	if len(pairs) == 0 {
		v.refuse("must hold a label of for_each%s", gotNothing(v))
		return
	}
	for _, p := range pairs {
		text, ok := p.value.scalar("a regular expression")
		if !ok {
			continue
		}
		if !slices.Contains(v.labels, p.key) {
			p.value.refuse("is no label of for_each; %s", suggestLabel(p.key, v.labels))
			continue
		}
		matcher, err := labels.NewMatcher(labels.MatchRegexp, p.key, text)
		if err != nil {
			p.value.refuse("must be a regular expression: %s", strings.Join(strings.Fields(err.Error()), " "))
			continue
		}
		o.match = append(o.match, matcher)
	}
}

func suggestLabel(label string, known []string) string {
	if near := nearest.Name(label, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "its labels are " + enumerate(known, "and")
}

// overrideFields are the keys of an element of overrides.
func overrideFields() []field[overrideDraft] {
	fields := []field[overrideDraft]{matchField()}
	for _, f := range dependencyFields() {
		read := f.read
		switch f.name {
		case "name", "for_each", "max_dependencies", "overrides":
			read = func(v value, _ *draft) {
				v.refuse("belongs to the entry: overrides change what is judged and not what is found")
			}
		}
		fields = append(fields, field[overrideDraft]{name: f.name, read: func(v value, o *overrideDraft) { read(v, &o.draft) }})
	}
	return fields
}

// readTemplate makes a template of an entry that was read with for_each.
func (v value) readTemplate(d draft) Template {
	t := Template{Dependency: d.Dependency, ForEach: d.template.forEach, MaxDependencies: d.template.most}
	v.checkPlaceholders(d)
	if d.Latency.Histogram == "" && len(d.Latency.Quantiles) > 0 {
		v.problem(v.seen[v.path+".for_each"].line, v.path+".for_each", "needs latency.histogram, whose series are looked at; latency.quantiles have none")
	}
	if d.template.overrides == nil {
		return t
	}
	items, _ := d.template.overrides.items()
	for _, item := range items {
		o := overrideDraft{draft: d}
		o.Latency.Quantiles = slices.Clone(d.Latency.Quantiles)
		if isNull(item.node) || !readMapping(item, overrideFields(), &o) {
			if isNull(item.node) {
				item.refuse("must be a mapping of keys to values%s", item.got())
			}
			continue
		}
		if _, set := item.seen[item.path+".match"]; !set {
			item.problem(item.line, item.path+".match", "is missing; which dependencies are meant?")
		}
		s := scope{reader: item.reader, own: item.path, inherited: []string{v.path, "defaults"}}
		s.check(&o.draft)
		s.checkSource(&o.draft)
		t.Overrides = append(t.Overrides, Override{Match: o.match, Dependency: o.Dependency})
	}
	return t
}

// checkPlaceholders says which labels the name lacks, and what is in braces and
// no label.
func (v value) checkPlaceholders(d draft) {
	known := d.template.forEach
	for key, text := range map[string]string{"name": d.Name, "caller": d.Caller, "callee": d.Callee, "owner": d.Owner} {
		var held []string
		line := v.seen[v.path+"."+key].line
		for _, found := range placeholder().FindAllStringSubmatch(text, -1) {
			if held = append(held, found[1]); !slices.Contains(known, found[1]) {
				v.problem(line, v.path+"."+key, "holds {{%s}}, which is no label of for_each; %s", show(found[1]), suggestLabel(found[1], known))
			}
		}
		if key != "name" || text == "" {
			continue
		}
		for _, label := range known {
			if !slices.Contains(held, label) {
				v.problem(line, v.path+".name", "must hold {{%s}}, or dependencies that differ in it have one name", label)
			}
		}
	}
}
