package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/robfig/cron/v3"
)

func TestGoodFilesAreReadIntoEveryField(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			c := mustLoad(t, file)
			checkInvariants(t, c)
			var b strings.Builder
			dump(&b, "", reflect.ValueOf(*c))
			compareGolden(t, strings.TrimSuffix(file, ".yaml")+".txt", b.String())
		})
	}
}

func mustLoad(t *testing.T, file string) *Config {
	t.Helper()
	c, err := Load(file, knownRules())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// dump writes one line for each leaf that is not zero: every field is looked
// at, secrets included.
func dump(b *strings.Builder, path string, v reflect.Value) {
	switch x := v.Interface().(type) {
	case time.Duration:
		if x != 0 {
			fmt.Fprintf(b, "%s = %s\n", path, x)
		}
		return
	case []*labels.Matcher:
		for i, m := range x {
			fmt.Fprintf(b, "%s[%d] = %s\n", path, i, m)
		}
		return
	case cron.Schedule:
		if path == "Schedule.Schedule" {
			after := time.Date(2025, time.June, 1, 12, 0, 0, 0, time.UTC)
			fmt.Fprintf(b, "%s.Next(%s) = %s\n", path, after.Format(time.RFC3339), x.Next(after).Format(time.RFC3339))
			return
		}
	case fmt.Stringer:
		if v.Kind() == reflect.Pointer && !v.IsNil() { // a *url.URL
			fmt.Fprintf(b, "%s = %s\n", path, x)
			return
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.IsExported() {
				dump(b, strings.TrimPrefix(path+"."+field.Name, "."), value)
			}
		}
	case reflect.Pointer, reflect.Interface:
		switch {
		case v.IsNil():
		case v.Elem().Kind() == reflect.Bool || v.Elem().Kind() == reflect.Float64: // set, if to zero
			fmt.Fprintf(b, "%s = %v\n", path, v.Elem())
		default:
			dump(b, path, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			dump(b, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Map:
		keys := make([]string, 0, v.Len())
		for _, k := range v.MapKeys() {
			keys = append(keys, k.String())
		}
		for _, k := range slices.Sorted(slices.Values(keys)) {
			fmt.Fprintf(b, "%s[%s] set\n", path, k)
			dump(b, path+"["+k+"]", v.MapIndex(reflect.ValueOf(k)))
		}
	default:
		switch {
		case v.IsZero():
		case v.Kind() == reflect.String:
			fmt.Fprintf(b, "%s = %q\n", path, v)
		default:
			fmt.Fprintf(b, "%s = %v\n", path, v)
		}
	}
}

// checkInvariants holds for every configuration that is accepted.
func checkInvariants(t *testing.T, c *Config) {
	t.Helper()
	check := func(ok bool, format string, args ...any) {
		t.Helper()
		if !ok {
			t.Errorf(format, args...)
		}
	}
	check(c.Prometheus.URL != "" && c.Prometheus.ExternalURL != "", "no URL")
	check(c.Prometheus.QueryTimeout > 0, "query timeout %v", c.Prometheus.QueryTimeout)
	check(c.Prometheus.MaxConcurrentQueries >= 1, "%d concurrent queries", c.Prometheus.MaxConcurrentQueries)
	check(c.Schedule.Gap >= time.Second, "gap %v", c.Schedule.Gap)
	now := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	next := c.Schedule.Next(now)
	check(next.After(now), "schedule %q fires next at %v", c.Schedule.Spec, next)
	check(c.StaleAfter >= c.Schedule.Gap, "stale after %v with gap %v", c.StaleAfter, c.Schedule.Gap)
	check(c.HoldFor >= 0, "hold for %v", c.HoldFor)
	check(len(c.Dependencies)+len(c.Templates) > 0, "no dependencies")
	names := map[string]bool{}
	all := slices.Clone(c.Dependencies)
	for _, template := range c.Templates {
		check(len(template.ForEach) > 0 && template.MaxDependencies > 0, "%s: template %+v", template.Name, template)
		all = append(all, template.Dependency)
	}
	for _, d := range all {
		check(d.Name != "" && !names[d.Name], "name %q empty or twice", d.Name)
		names[d.Name] = true
	}
	for _, template := range c.Templates {
		for _, o := range template.Overrides {
			check(len(o.Match) > 0 && o.Dependency.Name == template.Name, "%s: override %+v", template.Name, o)
			all = append(all, o.Dependency)
		}
	}
	for _, d := range all {
		check(d.Line > 0, "%s: line %d", d.Name, d.Line)
		checkSourceInvariants(t, d)
		check(d.Latency.UnitScale == 1 || d.Latency.UnitScale == 0.001, "%s: unit scale %v", d.Name, d.Latency.UnitScale)
		check(d.Window >= time.Minute, "%s: window %v", d.Name, d.Window)
		check(d.Correlation.Value >= 0 && d.Correlation.Value <= 1, "%s: correlation %v", d.Name, d.Correlation)
		check(d.TargetFalseTimeoutRatio > 0 && d.TargetFalseTimeoutRatio < 0.5, "%s: target %v", d.Name, d.TargetFalseTimeoutRatio)
		check(d.Headroom >= 0 && d.Headroom <= 10, "%s: headroom %v", d.Name, d.Headroom)
		check(d.MaxStep > 1 && d.MaxStep <= 100, "%s: max step %v", d.Name, d.MaxStep)
		check(d.ErrorRatio.Value >= 0 && d.ErrorRatio.Value <= 1, "%s: error ratio %v", d.Name, d.ErrorRatio)
		checkPolicyInvariants(t, d)
	}
	checkChainInvariants(t, c.Chains, func(name string) bool {
		return names[name] || slices.ContainsFunc(c.Templates, func(t Template) bool { return t.names().MatchString(name) })
	})
}

func checkPolicyInvariants(t *testing.T, d Dependency) {
	t.Helper()
	p := d.Policy
	for _, x := range []time.Duration{p.Timeout, p.ConnectTimeout, p.Deadline, p.HedgeAfter, p.Backoff.Initial, p.Backoff.Max} {
		if x < 0 || x > 24*time.Hour {
			t.Errorf("%s: a duration of %v in %+v", d.Name, x, p)
		}
	}
	if p.Retries < 0 || p.Retries > 100 || !(p.Backoff.Multiplier >= 1) || p.RetryBudget != nil && !(*p.RetryBudget >= 0 && *p.RetryBudget <= 1) {
		t.Errorf("%s: %+v", d.Name, p)
	}
	if p.Timeout > 0 && p.HedgeAfter >= p.Timeout || p.Deadline > 0 && expectedBackoff(p) >= p.Deadline {
		t.Errorf("%s contradicts itself: %+v", d.Name, p)
	}
	for _, words := range [][]string{
		{p.Fallback, "error", "default", "cache"}, {p.Backoff.Jitter, "none", "full"}, {d.Latency.Kind, "auto", "classic", "native", "summary"},
		{d.Latency.Scope, "attempt", "call"}, {d.Latency.Timeouts, "auto", "recorded", "dropped", "uncensored"},
	} {
		if !slices.Contains(words[1:], words[0]) {
			t.Errorf("%s: %q is none of %q", d.Name, words[0], words[1:])
		}
	}
}

// checkSourceInvariants wants one source of latency, and no key of another.
func checkSourceInvariants(t *testing.T, d Dependency) {
	t.Helper()
	l := d.Latency
	if (l.Histogram == "") == (len(l.Quantiles) == 0) {
		t.Errorf("%s: not one source: histogram %q, quantiles %v", d.Name, l.Histogram, l.Quantiles)
	}
	if len(l.Quantiles) > 0 && (len(missingQuantiles(l.Quantiles)) > 0 || l.Kind != "auto" || l.ReplicaLabel != "" || l.Matchers != nil) {
		t.Errorf("%s: quantiles with keys of a histogram, or too few: %+v", d.Name, l)
	}
	for i, q := range l.Quantiles {
		if !(q.P >= 0.5 && q.P < 1) || q.Query == "" || i > 0 && q.P <= l.Quantiles[i-1].P {
			t.Errorf("%s: %v", d.Name, l.Quantiles)
		}
	}
	if l.Kind == "summary" && l.ReplicaLabel != "" || l.ReplicaLabel == "le" {
		t.Errorf("%s: replicas by %q with kind %s", d.Name, l.ReplicaLabel, l.Kind)
	}
}

func TestExampleFileIsValid(t *testing.T) {
	example := filepath.Join("..", "config.example.yaml")
	checkInvariants(t, mustLoad(t, example))
}
