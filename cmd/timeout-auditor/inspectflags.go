package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kingpin/v2"
	"gopkg.in/yaml.v3"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/exposition"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// declaredFlags are the flags by which inspect is told of a dependency, by the
// configuration key that each stands for. Empty ones were not given.
type declaredFlags struct {
	own, latency, policy map[string]*string
}

func declareFlags(command *kingpin.CmdClause) declaredFlags {
	flag := func(name, help string) *string { return command.Flag(name, help).String() }
	return declaredFlags{
		latency: map[string]*string{
			"histogram": command.Flag("metric", "Base name of the histogram, without _bucket.").Required().String(),
			"selector":  flag("selector", `Which of its series, as PromQL matchers: {code="200"}.`),
			"unit":      flag("unit", "Unit of the histogram: auto, seconds or milliseconds."),
			"scope":     flag("scope", "What one observation is: attempt, or call with its retries inside."),
			"timeouts":  flag("timeouts", "What becomes of attempts cut off: auto, recorded, dropped or uncensored."),
		},
		policy: map[string]*string{
			"timeout":          flag("timeout", "Timeout per attempt."),
			"deadline":         flag("deadline", "Deadline of the whole call, retries and backoff included."),
			"retries":          flag("retries", "Retries after the first attempt."),
			"retry_on_timeout": flag("retry-on-timeout", "Whether an attempt that timed out is retried: true or false."),
		},
		own: map[string]*string{
			"error_ratio": flag("error-ratio", "Attempts that fail otherwise than by timeout ÷ attempts."),
			"correlation": flag("correlation", "Share of calls whose attempts share one fate, 0 to 1."),
		},
	}
}

// dependency puts the flags through the configuration's own checks, so that
// they mean the same and are refused in the same words.
func (f declaredFlags) dependency() (config.Dependency, error) {
	if *f.policy["timeout"] == "" && *f.policy["deadline"] == "" {
		return config.Dependency{}, errors.New("timeout-auditor: --timeout: is missing; which timeout is to be judged?")
	}
	entry := given(f.own)
	entry["name"] = scalar(*f.latency["histogram"])
	entry["latency"], entry["policy"] = given(f.latency), given(f.policy)
	file, err := yaml.Marshal(map[string]any{
		"prometheus": map[string]any{"url": "http://localhost"}, "dependencies": []any{entry},
	})
	if err != nil {
		return config.Dependency{}, err
	}
	parsed, err := config.Parse("", file, config.Options{})
	var problems config.Problems
	if errors.As(err, &problems) {
		return config.Dependency{}, inFlags(problems)
	}
	if err != nil {
		return config.Dependency{}, err
	}
	dep := parsed.Dependencies[0]
	dep.Window = 0 // counts since a start that nobody knows give no rates
	return dep, nil
}

// given keeps the flags that were given.
func given(flags map[string]*string) map[string]any {
	set := map[string]any{}
	for key, value := range flags {
		if *value != "" {
			set[key] = scalar(*value)
		}
	}
	return set
}

// scalar is text as YAML reads it when written plainly: a number is a number.
func scalar(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

// inFlags names the flag in place of the key, dependencies[0].policy.timeout.
func inFlags(problems config.Problems) error {
	var lines []string
	named := map[string]bool{}
	for _, p := range problems {
		key := p.Path[strings.LastIndex(p.Path, ".")+1:]
		if key == "histogram" || key == "name" {
			key = "metric"
			if named[key] {
				continue // one flag for two keys: it is wrong once
			}
		}
		named[key] = true
		lines = append(lines, fmt.Sprintf("timeout-auditor: --%s: %s", strings.ReplaceAll(key, "_", "-"), p.Message))
	}
	return errors.New(strings.Join(lines, "\n"))
}

// settleUnit takes the unit that the exposition itself declares over what the
// name lets one guess; --unit stands above both.
func (f declaredFlags) settleUnit(dep *config.Dependency, served *exposition.Exposition) error {
	unit, line := served.Unit(dep.Latency.Histogram)
	if asked := *f.latency["unit"]; unit == "" || asked != "" && asked != "auto" {
		return nil
	}
	switch unit {
	case "seconds":
		dep.Latency.UnitScale = 1
	case "milliseconds":
		dep.Latency.UnitScale = 0.001
	default:
		return fmt.Errorf("%d: # UNIT of %s is %q; only seconds and milliseconds can be read, --unit says which it is", line, dep.Latency.Histogram, unit)
	}
	return nil
}

// unasked switches off the rules about keys that inspect has no flag for. A
// missing deadline matters where there are retries to span.
func (f declaredFlags) unasked() map[string]config.Rule {
	off := map[string]config.Rule{}
	codes := []string{"connect-timeout-missing", "retry-not-idempotent", "fallback-uncounted"}
	if retries := *f.policy["retries"]; retries == "" || retries == "0" {
		codes = append(codes, "no-deadline")
	}
	for _, code := range codes {
		off[code] = config.Rule{Severity: string(rules.Off)}
	}
	return off
}
