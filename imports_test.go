// Package timeoutauditor_test holds the walls of the house: which room may
// import which, and what a room may not do at all. CONTRIBUTING.md describes
// the rooms. A wall in the wrong place is moved here, with an ADR that says why.
package timeoutauditor_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/timeout-auditor/timeout-auditor"

// room is one wall of the table. A room is a directory with all below it,
// except what is a room of its own.
type room struct {
	imports []string // other rooms; "*" is all of them
	pure    bool     // takes values, returns values: no clock, context, log or I/O
	program bool     // holds a main: it may read flags and exit
}

func rooms() map[string]room {
	return map[string]room{
		// Shared words: leaves that say how a thing is called and written.
		"figure":  {pure: true},
		"metric":  {pure: true},
		"nearest": {pure: true},

		"config":     {imports: []string{"nearest"}},
		"latency":    {pure: true},
		"retry":      {pure: true, imports: []string{"latency"}},
		"calc":       {pure: true, imports: []string{"figure", "latency", "retry"}},
		"promquery":  {imports: []string{"config", "latency", "nearest"}},
		"exposition": {imports: []string{"latency", "nearest"}},
		"audit":      {pure: true, imports: []string{"config", "figure", "latency", "retry"}},
		"rules":      {pure: true, imports: []string{"audit", "config", "figure", "latency", "metric", "retry", "rules/rulefile"}},
		"report":     {imports: []string{"audit", "config", "figure", "latency", "retry", "rules"}},

		"rules/rulefile":  {pure: true},
		"rules/recording": {pure: true, imports: []string{"audit", "config", "latency", "metric", "retry", "rules", "rules/rulefile"}},

		"agent": {imports: []string{
			"agent/metrics", "agent/notify", "agent/web",
			"audit", "config", "latency", "metric", "promquery", "report", "rules",
		}},
		"agent/metrics": {imports: []string{"audit", "latency", "metric", "report"}},
		"agent/notify":  {imports: []string{"config", "metric", "report", "rules"}},
		"agent/web":     {imports: []string{"audit", "calc", "config", "figure", "latency", "report", "retry", "rules"}},

		"deploy/grafana": {},

		"cmd":   {imports: []string{"*"}, program: true},
		"demo":  {imports: []string{"*"}, program: true},
		"bench": {imports: []string{"*"}, program: true},
		"truth": {imports: []string{"*"}, program: true},
		"tools": {program: true},
	}
}

// notPure are the imports that a pure room does without. A writer or a reader
// that a caller hands in is a value, so io is fine.
func notPure() []string {
	return []string{"context", "log", "log/slog", "math/rand", "net", "net/http", "os", "os/exec"}
}

// pkg is what go list says about a package, without its tests.
type pkg struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

// packages lists the module's packages.
func packages(t *testing.T) []pkg {
	t.Helper()
	dependOnTree(t)
	out, err := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Dir,Imports,GoFiles", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if len(p.GoFiles) > 0 { // this directory, for one, has only a test
			all = append(all, p)
		}
	}
}

// dependOnTree reads every directory. go test keeps the result of a test until
// a file or directory that the test itself opened changes, and go list opens
// them in another process: a new package would go unseen.
func dependOnTree(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != "." && (entry.Name()[0] == '.' || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// roomOf returns the innermost room that holds a package, or "".
func roomOf(importPath string) string {
	dir, ours := strings.CutPrefix(importPath, modulePath+"/")
	if !ours {
		return ""
	}
	table := rooms()
	for dir != "." {
		if _, ok := table[dir]; ok {
			return dir
		}
		dir = filepath.ToSlash(filepath.Dir(dir))
	}
	return ""
}

// wrongImports returns what is wrong with a package's imports.
func wrongImports(p pkg) []string {
	name := roomOf(p.ImportPath)
	if name == "" {
		return []string{p.ImportPath + " is in no room: give it one in the table of imports_test.go"}
	}
	r := rooms()[name]
	var wrong []string
	for _, path := range p.Imports {
		if path == modulePath || strings.HasPrefix(path, modulePath+"/") {
			other := roomOf(path)
			if other != name && !slices.Contains(r.imports, "*") && !slices.Contains(r.imports, other) {
				wrong = append(wrong, fmt.Sprintf("%s must not import %s", name, path))
			}
		}
		if r.pure && slices.Contains(notPure(), path) {
			wrong = append(wrong, fmt.Sprintf("%s is pure and must not import %s", name, path))
		}
		if !r.program && (path == "flag" || strings.HasPrefix(path, "github.com/alecthomas/kingpin")) {
			wrong = append(wrong, fmt.Sprintf("%s must not import %s: flags are read in cmd, demo and tools", name, path))
		}
	}
	return wrong
}

// wrongCode returns what is wrong with a file of a room, with positions.
func wrongCode(r room, files *token.FileSet, file *ast.File) []string {
	names := importNames(file)
	var wrong []string
	report := func(at ast.Node, format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s: %s", files.Position(at.Pos()), fmt.Sprintf(format, args...)))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" {
				report(n, "init runs unasked: have a caller call it")
			}
		case *ast.SelectorExpr:
			ident, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch used := names[ident.Name] + "." + n.Sel.Name; used {
			case "os.Exit":
				if !r.program {
					report(n, "only a main exits: return an error")
				}
			case "time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.NewTimer", "time.NewTicker", "time.AfterFunc", "time.Tick":
				if r.pure {
					report(n, "%s in a pure room: take the time as an argument", used)
				}
			}
		}
		return true
	})
	return wrong
}

// importNames maps the names that a file's imports have in it to their paths.
func importNames(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // does not compile either
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
	}
	return names
}

func TestRoomsImportOnlyWhatTheTableAllows(t *testing.T) {
	for _, p := range packages(t) {
		for _, wrong := range wrongImports(p) {
			t.Error(wrong)
		}
	}
}

func TestRoomsDoOnlyWhatTheyMay(t *testing.T) {
	for _, p := range packages(t) {
		r := rooms()[roomOf(p.ImportPath)]
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, wrong := range wrongCode(r, files, file) {
				t.Error(wrong)
			}
		}
	}
}

func TestTableNamesOnlyRoomsItHas(t *testing.T) {
	table := rooms()
	for name, r := range table {
		for _, other := range r.imports {
			if _, ok := table[other]; !ok && other != "*" {
				t.Errorf("%s may import %s, which is no room", name, other)
			}
		}
	}
}

func TestWallsStopWhatTheyShould(t *testing.T) {
	for name, c := range map[string]struct {
		path, imports string
		want          string // part of the complaint, "" for none
	}{
		"an allowed room":           {"/audit", modulePath + "/config", ""},
		"the room's own inside":     {"/config/schedule", modulePath + "/config", ""},
		"a program imports all":     {"/cmd/timeout-auditor", modulePath + "/agent/web", ""},
		"a room above":              {"/latency", modulePath + "/retry", "latency must not import"},
		"a sub-room sideways":       {"/agent/web", modulePath + "/agent/notify", "agent/web must not import"},
		"a sub-room is not its own": {"/agent/web", modulePath + "/agent", "agent/web must not import"},
		"a room without a name":     {"/utils", "fmt", "in no room"},
		"the module's top":          {"", "fmt", "in no room"},
		"I/O in a pure room":        {"/latency", "os", "is pure"},
		"flags in a room":           {"/agent", "flag", "flags are read in"},
	} {
		t.Run(name, func(t *testing.T) {
			got := wrongImports(pkg{ImportPath: modulePath + c.path, Imports: []string{c.imports}})
			if c.want == "" && len(got) > 0 {
				t.Errorf("refused: %v", got)
			}
			if c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
				t.Errorf("got %v, want %q", got, c.want)
			}
		})
	}
}

func TestBansFindWhatTheyBan(t *testing.T) {
	for name, c := range map[string]struct {
		room room
		code string
		want string
	}{
		"exit":                {room{}, "import \"os\"\nfunc f() { os.Exit(1) }", "x.go:3:12: only a main exits"},
		"exit of a program":   {room{program: true}, "import \"os\"\nfunc f() { os.Exit(1) }", ""},
		"init":                {room{program: true}, "func init() {}", "init runs unasked"},
		"a method named init": {room{}, "type t struct{}\nfunc (t) init() {}", ""},
		"clock":               {room{pure: true}, "import \"time\"\nvar x = time.Now", "time.Now in a pure room"},
		"clock, renamed":      {room{pure: true}, "import clock \"time\"\nvar x = clock.Since", "time.Since in a pure room"},
		"clock elsewhere":     {room{}, "import \"time\"\nvar x = time.Now", ""},
		"a duration":          {room{pure: true}, "import \"time\"\nvar x = time.Second", ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, "x.go", "package x\n"+c.code, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			got := wrongCode(c.room, files, file)
			if c.want == "" && len(got) > 0 {
				t.Errorf("refused: %v", got)
			}
			if c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
				t.Errorf("got %v, want %q", got, c.want)
			}
		})
	}
}
