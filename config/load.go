package config

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gopkg.in/yaml.v3"
)

// Options say what a file may refer to beyond itself.
type Options struct {
	Rules []string // codes of the rules that exist; others are refused under rules
}

// minStaleAfter is the least default of stale_after.
const minStaleAfter = 5 * time.Minute

// Load reads and parses a file. Relative paths of secrets in it are taken from
// the file's own directory. The error is [Problems], or says why the file could
// not be read.
func Load(filename string, opts Options) (*Config, error) {
	data, err := os.ReadFile(filename)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	c, err := Parse(filename, data, opts)
	if err != nil {
		return nil, err
	}
	c.Prometheus.HTTPClient.SetDirectory(filepath.Dir(filename))
	for i := range c.Alertmanagers {
		c.Alertmanagers[i].HTTPClient.SetDirectory(filepath.Dir(filename))
	}
	return c, nil
}

// Parse validates a configuration. The filename only serves the messages. The
// error is [Problems] with everything that is wrong.
func Parse(filename string, data []byte, opts Options) (*Config, error) {
	root, problem := parseDocument(data)
	if problem != nil {
		problem.File = filename
		return nil, Problems{*problem}
	}
	r := newReader(filename, opts.Rules)
	c := r.readFile(root)
	if len(r.problems) > 0 {
		r.problems.sort()
		return nil, r.problems
	}
	return c, nil
}

func (r *reader) readFile(root *yaml.Node) *Config {
	fields := fileFields()
	f := newFileDraft(fields)
	if !readMapping(value{reader: r, line: root.Line, node: root}, fields, &f) {
		return nil
	}
	if r.missing("prometheus.url", "prometheus") {
		r.problem(max(1, r.seen["prometheus"].line), "prometheus.url", "is missing; where is Prometheus?")
	}
	if f.Prometheus.ExternalURL == "" {
		f.Prometheus.ExternalURL = f.Prometheus.URL
	}
	r.settleStaleAfter(&f.Config)
	r.readDependencies(&f)
	r.readChains(&f)
	c := f.Config // of its own, or it would keep the whole file in memory
	return &c
}

// missing says that the file sets neither the key nor, unreadably, a section
// that holds it.
func (r *reader) missing(key string, sections ...string) bool {
	if _, set := r.seen[key]; set {
		return false
	}
	for _, s := range sections {
		if m, set := r.seen[s]; set && !m.sound {
			return false
		}
	}
	return true
}

// settleStaleAfter gives stale_after its default, three missed cycles, and
// refuses one that every cycle would run into.
func (r *reader) settleStaleAfter(c *Config) {
	m, set := r.seen["stale_after"]
	if schedule, scheduled := r.seen["schedule"]; set && !m.sound || scheduled && !schedule.sound {
		return
	}
	if !set {
		c.StaleAfter = max(minStaleAfter, 3*c.Schedule.Gap)
		return
	}
	if c.StaleAfter < c.Schedule.Gap {
		r.problem(m.line, "stale_after", "must be at least the longest gap between two cycles, %s with schedule %s, got %s",
			spell(c.Schedule.Gap), show(c.Schedule.Spec), spell(c.StaleAfter))
	}
}
