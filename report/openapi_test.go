package report_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/retry"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// TestOpenAPIDescribesTheReport holds docs/openapi.yaml to the types that the
// report is made of; -update writes it anew. Paths are in testdata/openapi.yaml.
func TestOpenAPIDescribesTheReport(t *testing.T) {
	paths, err := os.ReadFile("testdata/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := schemas{comments: comments(t), done: map[string]bool{}}
	s.component(reflect.TypeFor[report.Document]())
	golden(t, "../../docs/openapi.yaml", append(paths, s.text.String()...))
}

// schemas writes a JSON schema for each type that is reached from the first.
type schemas struct {
	text     strings.Builder
	comments map[string]string // by Type and Type.Field
	done     map[string]bool
}

func schemaName(t reflect.Type) string {
	if t == reflect.TypeFor[report.Document]() {
		return "Report"
	}
	return strings.TrimSuffix(t.Name(), "Document")
}

func (s *schemas) component(t reflect.Type) {
	if s.done[t.Name()] {
		return
	}
	s.done[t.Name()] = true
	var required []string
	var properties strings.Builder
	var next []reflect.Type
	for _, f := range fields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if options != "omitzero" {
			required = append(required, name)
		}
		keys, inner := schemaOf(f.Type)
		if inner != nil {
			next = append(next, inner)
		}
		fmt.Fprintf(&properties, "        %s:\n", name)
		if text := s.comments[t.Name()+"."+f.Name]; text != "" {
			fmt.Fprintf(&properties, "          description: %s\n", strconv.Quote(text))
		}
		for _, key := range keys {
			fmt.Fprintf(&properties, "          %s\n", key)
		}
	}
	fmt.Fprintf(&s.text, "    %s:\n      description: %s\n      type: object\n      required: [%s]\n      properties:\n%s",
		schemaName(t), strconv.Quote(s.comments[t.Name()]), strings.Join(required, ", "), properties.String())
	for _, inner := range next {
		s.component(inner)
	}
}

// fields are those of a struct, with embedded ones in their place.
func fields(t reflect.Type) []reflect.StructField {
	var all []reflect.StructField
	for f := range t.Fields() {
		if f.Anonymous {
			all = append(all, fields(f.Type)...)
			continue
		}
		all = append(all, f)
	}
	return all
}

// schemaOf is a schema as keys of YAML, and the struct in it, if there is one.
func schemaOf(t reflect.Type) (keys []string, inner reflect.Type) {
	if values := enum(t); values != nil {
		return []string{"enum: [" + strings.Join(values, ", ") + "]"}, nil
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return []string{"type: string", "format: date-time"}, nil
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		return []string{fmt.Sprintf("oneOf: [%s, {type: 'null'}]", ref(t.Elem()))}, t.Elem()
	case t.Kind() == reflect.Pointer:
		return []string{"type: [number, 'null']"}, nil
	case t.Kind() == reflect.Slice:
		items, inner := schemaOf(t.Elem())
		return []string{"type: array", "items: {" + strings.Join(items, ", ") + "}"}, inner
	case t.Kind() == reflect.Struct:
		return []string{"$ref: '#/components/schemas/" + schemaName(t) + "'"}, t
	}
	return []string{"type: " + map[reflect.Kind]string{
		reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Float64: "number",
	}[t.Kind()]}, nil
}

func ref(t reflect.Type) string { return "{$ref: '#/components/schemas/" + schemaName(t) + "'}" }

// enum lists what a text may be, where that is known.
func enum(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[latency.Status]():
		return words(latency.Statuses())
	case reflect.TypeFor[report.Result]():
		return words(report.Results())
	case reflect.TypeFor[rules.Severity]():
		return words([]rules.Severity{rules.Critical, rules.Warning, rules.Info})
	case reflect.TypeFor[rules.Hold]():
		return words([]rules.Hold{rules.NotHeld, rules.HeldUncertain, rules.HeldUnknown})
	case reflect.TypeFor[latency.Verdict]():
		return words([]latency.Verdict{latency.VerdictAbove, latency.VerdictBelow, latency.VerdictUncertain})
	case reflect.TypeFor[latency.Recording]():
		return words([]latency.Recording{latency.RecordingRecorded, latency.RecordingDropped, latency.RecordingUncensored, latency.RecordingMeasured})
	case reflect.TypeFor[retry.Band]():
		return words([]retry.Band{"", retry.BandUnknown, retry.BandBelowP99, retry.BandTight, retry.BandBetween,
			retry.BandComfortable, retry.BandLoose, retry.BandTooLong})
	}
	return nil
}

func words[T ~string](values []T) []string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(string(v))
	}
	return quoted
}

// comments are what the source says of the report's types and their fields.
func comments(t *testing.T) map[string]string {
	t.Helper()
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") }) {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Clean(name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				describe(found, g)
			}
		}
	}
	return found
}

func describe(found map[string]string, g *ast.GenDecl) {
	for _, spec := range g.Specs {
		typ := spec.(*ast.TypeSpec)
		structure, ok := typ.Type.(*ast.StructType)
		if !ok {
			continue
		}
		text := strings.Join(strings.Fields(g.Doc.Text()), " ")
		if _, said, ok := strings.Cut(text, typ.Name.Name+" is "); ok {
			text = strings.ToUpper(said[:1]) + said[1:]
		}
		found[typ.Name.Name] = text
		for _, field := range structure.Fields.List {
			for _, name := range field.Names {
				found[typ.Name.Name+"."+name.Name] = strings.TrimSpace(field.Comment.Text() + field.Doc.Text())
			}
		}
	}
}
