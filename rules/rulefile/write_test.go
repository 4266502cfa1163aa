package rulefile_test

import (
	"errors"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

func groups() []rulefile.Group {
	return []rulefile.Group{{Name: "g", Rules: []rulefile.Rule{{Alert: "A", Expr: "vector(1)"}}}}
}

func TestObjectOfTheOperatorHoldsTheSameGroups(t *testing.T) {
	var out strings.Builder
	if err := rulefile.Write(&out, groups(), rulefile.Options{Format: rulefile.PrometheusRule, Name: "timeout-auditor"}); err != nil {
		t.Fatal(err)
	}
	var object struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   struct{ Name string }
		Spec       struct{ Groups []rulefile.Group }
	}
	if err := yaml.Unmarshal([]byte(out.String()), &object); err != nil {
		t.Fatal(err)
	}
	if object.APIVersion != "monitoring.coreos.com/v1" || object.Kind != "PrometheusRule" || object.Metadata.Name != "timeout-auditor" {
		t.Errorf("got %+v", object)
	}
	if len(object.Spec.Groups) != 1 || object.Spec.Groups[0].Rules[0].Alert != "A" {
		t.Errorf("groups %+v", object.Spec.Groups)
	}
}

func TestWriteRefusesWhatNobodyCouldLoad(t *testing.T) {
	for name, c := range map[string]struct {
		options rulefile.Options
		want    string
	}{
		"an unknown format":            {rulefile.Options{Format: "json"}, `one of prometheus, prometheusrule, got "json"`},
		"an object without a name":     {rulefile.Options{Format: rulefile.PrometheusRule}, `got ""`},
		"an object with a wild name":   {rulefile.Options{Format: rulefile.PrometheusRule, Name: "Timeout_Auditor"}, `got "Timeout_Auditor"`},
		"an object with a long name":   {rulefile.Options{Format: rulefile.PrometheusRule, Name: strings.Repeat("a", 254)}, "at most 253"},
		"an object that ends in a dot": {rulefile.Options{Format: rulefile.PrometheusRule, Name: "a."}, `got "a."`},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := rulefile.Write(&out, groups(), c.options)
			if err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
				t.Errorf("error %v, want %q; wrote %q", err, c.want, out.String())
			}
		})
	}
}

func TestWriteReportsAFullDisk(t *testing.T) {
	if err := rulefile.Write(full{}, groups(), rulefile.Options{}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }
