package rulefile

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// Format is how groups are written.
type Format string

const (
	Prometheus     Format = "prometheus"     // a rule file
	PrometheusRule Format = "prometheusrule" // an object of the Prometheus Operator
)

// Formats lists every format, the default first.
func Formats() []string { return []string{string(Prometheus), string(PrometheusRule)} }

// Options say how groups are written.
type Options struct {
	Format  Format // empty: Prometheus
	Comment string // the first lines, without their #
	Name    string // of the PrometheusRule object
}

// object is a PrometheusRule of monitoring.coreos.com/v1.
type object struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   metadata `yaml:"metadata"`
	Spec       file     `yaml:"spec"`
}

type metadata struct {
	Name   string            `yaml:"name"`
	Labels map[string]string `yaml:"labels"`
}

type file struct {
	Groups []Group `yaml:"groups"`
}

// Write writes the groups. Nothing is written when something is wrong.
func Write(w io.Writer, groups []Group, o Options) error {
	var document any = file{groups}
	switch o.Format {
	case Prometheus, "":
	case PrometheusRule:
		if !objectName().MatchString(o.Name) {
			return fmt.Errorf("the name of a PrometheusRule must be lower-case letters, digits, - and ., at most 253 of them, got %q", o.Name)
		}
		document = object{
			APIVersion: "monitoring.coreos.com/v1",
			Kind:       "PrometheusRule",
			Metadata:   metadata{Name: o.Name, Labels: map[string]string{"app.kubernetes.io/name": "timeout-auditor"}},
			Spec:       file{groups},
		}
	default:
		return fmt.Errorf("the format must be one of %s, got %q", strings.Join(Formats(), ", "), o.Format)
	}
	var out bytes.Buffer
	if o.Comment != "" {
		fmt.Fprintf(&out, "# %s\n", strings.ReplaceAll(o.Comment, "\n", "\n# "))
	}
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("encode rules: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// objectName is what Kubernetes takes for the name of an object: a DNS
// subdomain.
func objectName() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`)
}
