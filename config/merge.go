package config

import "strings"

// readDependencies reads the defaults and then each dependency over a copy of
// them, so that a dependency overrides exactly the keys it sets.
func (r *reader) readDependencies(f *fileDraft) {
	fields := dependencyFields()
	var base draft
	fillInitial(fields, &base)
	if f.defaults != nil && readMapping(*f.defaults, defaultFields(), &base) {
		scope{reader: r, own: "defaults"}.check(&base)
	}
	if f.dependencies == nil {
		r.problem(1, "dependencies", "is missing; at least one dependency is needed")
		return
	}
	items, ok := f.dependencies.items()
	if ok && len(items) == 0 {
		f.dependencies.refuse("must hold at least one dependency")
	}
	named := map[string]value{}
	for _, item := range items {
		d := base
		d.Line = item.line
		r.labels = item.variables()
		if !item.readDependency(fields, &d) {
			continue
		}
		if len(d.template.forEach) > 0 {
			f.Templates = append(f.Templates, item.readTemplate(d))
		} else {
			item.notWithoutForEach()
			f.Dependencies = append(f.Dependencies, d.Dependency)
		}
		r.labels = nil
		if d.Name == "" {
			continue // refused already
		}
		r.unique(named, item, d.Name)
	}
}

// notWithoutForEach refuses what only a template has.
func (v value) notWithoutForEach() {
	if _, set := v.seen[v.path+".for_each"]; set {
		return // unreadable, and refused
	}
	for _, key := range []string{"max_dependencies", "overrides"} {
		if m, set := v.seen[v.path+"."+key]; set {
			v.problem(m.line, v.path+"."+key, "belongs to an entry with for_each")
		}
	}
}

// unique refuses the name of a list's element that another one in named has.
func (r *reader) unique(named map[string]value, item value, name string) {
	key := value{reader: r, path: item.path + ".name", line: r.seen[item.path+".name"].line}
	if twin, taken := named[name]; taken {
		key.refuse("%s is already the name of %s on line %d", show(name), strings.TrimSuffix(twin.path, ".name"), twin.line)
		return
	}
	named[name] = key
}

// readDependency is false when the value is no dependency at all.
func (v value) readDependency(fields []field[draft], d *draft) bool {
	if isNull(v.node) {
		v.refuse("must be a mapping of keys to values%s", v.got())
		return false
	}
	if !readMapping(v, fields, d) {
		return false
	}
	s := scope{reader: v.reader, own: v.path, inherited: []string{"defaults"}}
	nameKey := v.path + ".name"
	switch m, set := v.seen[nameKey]; {
	case !set:
		v.problem(v.line, nameKey, "is missing; every dependency needs one of its own")
	case m.sound && d.Name == "":
		v.problem(m.line, nameKey, "must not be empty")
	}
	s.check(d)
	s.checkSource(d)
	return true
}
