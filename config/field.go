package config

import "gopkg.in/yaml.v3"

// field is a key that a mapping may hold and that is read into a T. The
// lists of fields are the one table of keys: the decoder, the built-in defaults
// and the documentation are all taken from it.
type field[T any] struct {
	name    string
	kind    string // what the documentation calls its type
	initial string // YAML of the value where no file sets one
	absent  string // what it means to set none, where there is no initial
	example string // YAML
	means   string

	read func(v value, into *T)

	// Sections only.
	fill func(into *T)    // puts the initial values of the fields inside
	keys func() []keyInfo // lists the fields inside, paths relative to this one
}

// keyInfo is what the documentation says about a key.
type keyInfo struct {
	path                                    string
	kind, initial, absent, example, meaning string
	section                                 bool
}

// section is a mapping inside a mapping: fields of an S that lives in a T.
type section[T, S any] struct {
	name, absent, example, means string

	fields []field[S]
	of     func(*T) *S
	after  func(v value, into *S) // checks across fields, may be nil
}

func (s section[T, S]) field() field[T] {
	return field[T]{
		name: s.name, kind: "mapping", absent: s.absent, example: s.example, means: s.means,
		read: func(v value, into *T) {
			if readMapping(v, s.fields, s.of(into)) && s.after != nil {
				s.after(v, s.of(into))
			}
		},
		fill: func(into *T) { fillInitial(s.fields, s.of(into)) },
		keys: func() []keyInfo { return describe(s.fields) },
	}
}

// readMapping reads the keys of v into a T. It is false when v is no mapping.
func readMapping[T any](v value, fields []field[T], into *T) bool {
	pairs, ok := v.pairs()
	if !ok {
		return false
	}
	for _, p := range pairs {
		if f := find(fields, p.key); f != nil {
			f.read(p.value, into)
			continue
		}
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = f.name
		}
		p.value.refuse("unknown key; %s", suggestKey(v.path, p.key, names))
	}
	return true
}

func find[T any](fields []field[T], name string) *field[T] {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

// fillInitial puts the built-in defaults into a T. They are read by the same
// functions as a file, so they need no home beside the table.
func fillInitial[T any](fields []field[T], into *T) {
	for _, f := range fields {
		if f.fill != nil {
			f.fill(into)
		}
		if f.initial != "" {
			f.read(newReader("built-in", nil).inline(f.name, f.initial), into)
		}
	}
}

// inline is a value written in the program.
func (r *reader) inline(path, text string) value {
	v := value{reader: r, path: path, line: 1, node: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}}
	root, problem := parseDocument([]byte(text))
	if problem != nil {
		r.problem(problem.Line, path, "%s", problem.Message)
		return v
	}
	v.node = root
	return v
}

// describe lists the fields and, after each section, what it holds.
func describe[T any](fields []field[T]) []keyInfo {
	var all []keyInfo
	for _, f := range fields {
		all = append(all, keyInfo{
			path: f.name, kind: f.kind, initial: f.initial, absent: f.absent,
			example: f.example, meaning: f.means, section: f.keys != nil,
		})
		if f.keys == nil {
			continue
		}
		for _, k := range f.keys() {
			if k.path != "" && k.path[0] == '[' {
				k.path = f.name + k.path
			} else {
				k.path = f.name + "." + k.path
			}
			all = append(all, k)
		}
	}
	return all
}
