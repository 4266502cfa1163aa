package config

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	promconfig "github.com/prometheus/common/config"
	"gopkg.in/yaml.v3"
)

// tables are the documentation of the keys, by the path of their section.
func tables() map[string]string {
	code := func(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }
	all := map[string]string{}
	for _, k := range documentKeys() {
		section, name := "top", k.path
		if i := strings.LastIndex(k.path, "."); i >= 0 {
			section, name = k.path[:i], k.path[i+1:]
		}
		if all[section] == "" {
			all[section] = "| key | type | default | example | meaning |\n| --- | --- | --- | --- | --- |\n"
		}
		initial := k.absent
		switch {
		case k.initial != "":
			initial = code(k.initial)
		case k.absent == "required":
			initial = "*required*"
		}
		all[section] += "| " + strings.Join([]string{code(name), k.kind, initial, code(k.example), k.meaning}, " | ") + " |\n"
	}
	return all
}

func TestDocumentationListsEveryKey(t *testing.T) {
	path := filepath.Join("..", "docs", "configuration.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := tables()
	page := regexp.MustCompile(`(?s)<!-- keys: (\S+) -->\n.*?<!-- /keys -->`).ReplaceAllStringFunc(string(data), func(block string) string {
		section := strings.Fields(block)[2]
		table, ok := want[section]
		if !ok {
			t.Errorf("%s documents %s, which has no keys", path, section)
		}
		delete(want, section)
		return "<!-- keys: " + section + " -->\n" + table + "<!-- /keys -->"
	})
	for section := range want {
		t.Errorf("%s has no place for the keys of %s", path, section)
	}
	compareGolden(t, path, page)
}

// with gives a small valid file in which one key is set.
func with(t *testing.T, path, value string) string {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(value), &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	file := map[string]any{
		"prometheus":   map[string]any{"url": "http://prometheus:9090"},
		"dependencies": []any{map[string]any{"name": "a", "latency": map[string]any{"histogram": "h_seconds"}}},
	}
	at := file
	if inner, ok := strings.CutPrefix(path, "dependencies[]."); ok {
		at = file["dependencies"].([]any)[0].(map[string]any)
		path = inner
	}
	if strings.HasPrefix(path, "chains") {
		at, path = withChain(file, path)
	}
	at, path = withForEach(at, path)
	at, path = withConnectOrLayer(at, path)
	at, path = withAlertmanager(file, at, path)
	if strings.HasSuffix(path, "no_proxy") || strings.HasSuffix(path, "proxy_connect_header") {
		file["prometheus"].(map[string]any)["proxy_url"] = "http://proxy:3128"
	}
	words := strings.Split(strings.ReplaceAll(path, "CODE", "no-timeout"), ".")
	for _, word := range words[:len(words)-1] {
		if at[word] == nil {
			at[word] = map[string]any{}
		}
		at = at[word].(map[string]any)
	}
	if path == "latency.quantiles" { // they replace the histogram
		delete(at, "histogram")
	}
	at[words[len(words)-1]] = v
	text, err := yaml.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withForEach makes the dependency a template where the key belongs to one.
func withForEach(at map[string]any, path string) (map[string]any, string) {
	key, inner, _ := strings.Cut(path, "[].")
	if !slices.Contains([]string{"for_each", "max_dependencies", "overrides"}, key) {
		return at, path
	}
	at["name"], at["for_each"] = "{{caller}}-{{callee}}", []any{"caller", "callee"}
	if key != "overrides" || inner == "" {
		return at, path
	}
	override := map[string]any{"policy": map[string]any{"timeout": "1s"}}
	at["overrides"] = []any{override}
	return override, inner
}

func mustParse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("config.yaml", []byte(text), knownRules())
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, text)
	}
	return c
}

func parsed(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	dump(&b, "", reflect.ValueOf(*mustParse(t, text)))
	return regexp.MustCompile(`(Dependencies|Chains|Templates)\[\d+\]\.(Overrides\[\d+\]\.)?(Dependency\.)?Line = .*\n`).ReplaceAllString(b.String(), "")
}

// bareFor is the file in which a key is not set.
func bareFor(t *testing.T, path string) string {
	t.Helper()
	if strings.HasPrefix(path, "chains[]") {
		return parsed(t, with(t, "chains[].name", "page"))
	}
	if key := strings.TrimPrefix(path, "dependencies[]."); key == "max_dependencies" || key == "overrides" {
		return parsed(t, with(t, "dependencies[].for_each", "[caller, callee]"))
	}
	if strings.HasPrefix(path, "dependencies[].overrides[]") {
		return parsed(t, with(t, path, "{callee: other}"))
	}
	if strings.HasPrefix(path, "dependencies[].connect") {
		return parsed(t, with(t, "dependencies[].connect.histogram", "connect_seconds"))
	}
	if strings.HasPrefix(path, "dependencies[].policy.layers[]") {
		return parsed(t, with(t, "dependencies[].policy.layers[].name", "library"))
	}
	if strings.HasPrefix(path, "alertmanagers[]") {
		return parsed(t, with(t, "alertmanagers[].url", "http://alertmanager:9093"))
	}
	return parsed(t, with(t, "prometheus.url", "http://prometheus:9090"))
}

func TestEveryDocumentedKeyHasAnExampleThatChangesSomething(t *testing.T) {
	for _, k := range documentKeys() {
		t.Run(k.path, func(t *testing.T) {
			bare := bareFor(t, k.path)
			if k.example == "" || k.kind == "" || k.meaning == "" || k.initial == "" && k.absent == "" && !k.section && k.kind != "mapping" {
				t.Errorf("documentation is missing: %+v", k)
			}
			same := k.path == "prometheus" || k.path == "prometheus.url" // the example is that of the bare file
			if got := parsed(t, with(t, k.path, k.example)); got == bare && !same {
				t.Errorf("%s changes nothing:\n%s", k.example, got)
			}
		})
	}
}

func TestSettingADocumentedDefaultChangesNothing(t *testing.T) {
	for _, k := range documentKeys() {
		if k.initial == "" {
			continue
		}
		t.Run(k.path, func(t *testing.T) {
			if diff := cmp.Diff(bareFor(t, k.path), parsed(t, with(t, k.path, k.initial))); diff != "" {
				t.Errorf("(-without +with)\n%s", diff)
			}
		})
	}
}

func TestDocumentationNamesEveryKeyInsideHTTPClientKeys(t *testing.T) {
	page := tables()["prometheus"]
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		if typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Map {
			walk(typ.Elem())
			return
		}
		if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[promconfig.URL]() {
			return
		}
		for name, inner := range yamlFields(typ) {
			if name != "" && !strings.Contains(page, "`"+name+"`") {
				t.Errorf("the key %s of %s is not mentioned", name, typ)
			}
			walk(inner)
		}
	}
	walk(reflect.TypeFor[promconfig.HTTPClientConfig]())
}

func TestTableHasEveryHTTPClientKeyOfTheLibrary(t *testing.T) {
	var got []string
	for _, f := range alertmanagerClientFields() {
		got = append(got, f.name)
	}
	var want []string
	for name := range yamlFields(reflect.TypeFor[promconfig.HTTPClientConfig]()) {
		want = append(want, name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys (-library +table):\n%s", diff)
	}
}

func TestSnippetsInTheDocumentationAreValid(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	snippets := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	if len(snippets) == 0 {
		t.Fatal("no snippets")
	}
	for _, s := range snippets {
		file := string(s[1])
		if !strings.Contains(file, "prometheus:") {
			file += "prometheus: {url: http://prometheus:9090}\n"
		}
		checkInvariants(t, mustParse(t, file))
	}
}
