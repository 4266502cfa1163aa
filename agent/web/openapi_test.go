package web_test

import (
	"maps"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

// openAPI reads docs/openapi.yaml.
func openAPI(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// compile returns the schema at a place of a document.
func compile(t *testing.T, document any, place string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("openapi.json" + place)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func jsonOf(t *testing.T, text string) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// The schema is that of the OpenAPI Initiative for version 3.1, Apache-2.0:
// https://spec.openapis.org/oas/3.1/schema/2021-04-15.
func TestOpenAPIFileIsOne(t *testing.T) {
	schema, err := os.ReadFile("testdata/openapi-3.1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := compile(t, jsonOf(t, string(schema)), "").Validate(openAPI(t)); err != nil {
		t.Error(err)
	}
}

// strict refuses fields that the schemas of a document do not name.
func strict(document map[string]any) map[string]any {
	for _, schema := range document["components"].(map[string]any)["schemas"].(map[string]any) {
		schema.(map[string]any)["additionalProperties"] = false
	}
	return document
}

func TestRepliesAreAsTheOpenAPIFileSays(t *testing.T) {
	schema := compile(t, strict(openAPI(t)), "#/components/schemas/Report")
	for name, r := range map[string]*report.Report{
		"every status": reporttest.EveryStatus(), "a chain": reporttest.OverBudget(), "nothing": reporttest.Cycle(nil, reporttest.Start), "a past": withPast(),
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(o *web.Options) { o.Report = func() *report.Report { return r } })
			_, _, body := request(t, "GET", server.URL+"/api/v1/report")
			if err := schema.Validate(jsonOf(t, body)); err != nil {
				t.Error(err)
			}
		})
	}
	body := jsonOf(t, `{"at": "2026-03-01T12:00:00Z", "duration_seconds": 1, "result": "success", "dependencies": [], "chains": [], "more": 1}`)
	if schema.Validate(body) == nil {
		t.Error("a field that the file does not name passes")
	}
}

func withPast() *report.Report {
	dep := reporttest.Dependency("a")
	in := reporttest.Seen(dep, reporttest.Start, 36000, 3600)
	history := audit.AssessHistory(&dep, []audit.Input{in})
	in.History = &history
	return reporttest.Cycle(nil, reporttest.Start, in)
}

// TestEveryStatusOfTheOpenAPIFileIsAnswered asks each endpoint in each state of
// the daemon and wants just the documented answers.
func TestEveryStatusOfTheOpenAPIFileIsAnswered(t *testing.T) {
	document := openAPI(t)
	got, want := map[string]bool{}, map[string]bool{}
	for _, change := range []func(*web.Options){
		nil,
		func(o *web.Options) {
			o.Report, o.Ready = func() *report.Report { return nil }, func() bool { return false }
		},
		func(o *web.Options) { o.EnableLifecycle = true },
		func(o *web.Options) {
			o.EnableLifecycle, o.Reload = true, func() error { return os.ErrNotExist }
		},
	} {
		server := serve(t, change)
		for path, operations := range document["paths"].(map[string]any) {
			for method, operation := range operations.(map[string]any) {
				status, header, _ := request(t, strings.ToUpper(method), server.URL+path)
				got[method+" "+path+" "+strconv.Itoa(status)+" "+mediaType(header)] = true
				for code, response := range operation.(map[string]any)["responses"].(map[string]any) {
					for kind := range response.(map[string]any)["content"].(map[string]any) {
						want[method+" "+path+" "+code+" "+kind] = true
					}
				}
			}
		}
	}
	if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
		t.Errorf("answers\n%s\nwant\n%s", strings.Join(g, "\n"), strings.Join(w, "\n"))
	}
}

func mediaType(header http.Header) string {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return kind
}
