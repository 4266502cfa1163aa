package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/timeout-auditor/timeout-auditor/nearest"
)

// preset is what a library, proxy or mesh exports under which names.
type preset struct {
	name, source string
	note         string // for the documentation

	histogram string // "": the file names it
	unit      string
	scope     string
	timeouts  string
	fixed     []*labels.Matcher // that choose the client's side
	labels    []string          // that tell dependencies apart, for for_each

	attempts, timedOut, retries, calls counter

	connect        string // histogram of connecting; "": none
	connectUnit    string
	defaultRetries int // of errors, where policy.retries is not set
	attemptLimit   int
}

// counter is one counter's rate: the sum of a metric, of those series that also
// match, less another metric.
type counter struct {
	metric string
	match  []*labels.Matcher
	less   string
}

func equal(name, value string) *labels.Matcher {
	return labels.MustNewMatcher(labels.MatchEqual, name, value)
}

func like(name, expression string) *labels.Matcher {
	return labels.MustNewMatcher(labels.MatchRegexp, name, expression)
}

// presets is the table of what is known.
func presets() []preset { return slices.Concat(meshPresets(), libraryPresets()) }

// applyPreset puts what a latency section's preset knows below what the section
// sets itself. What is wrong with the name is said where the key is read.
func (v value) applyPreset(d *draft) {
	silent := value{reader: newReader(v.file, nil), path: v.path, line: v.line, node: v.node}
	pairs, _ := silent.pairs()
	for _, pair := range pairs {
		if pair.key != "preset" {
			continue
		}
		if p, ok := pair.value.preset(); ok {
			p.apply(d)
		}
	}
}

// preset reads the name of one.
func (v value) preset() (p preset, ok bool) {
	text, ok := v.scalar("the name of a preset")
	if !ok {
		return preset{}, false
	}
	all := presets()
	i := slices.IndexFunc(all, func(p preset) bool { return p.name == text })
	if i < 0 {
		v.refuse("unknown preset %s; %s", show(text), suggestPreset(text, all))
		return preset{}, false
	}
	return all[i], true
}

func suggestPreset(name string, all []preset) string {
	var names []string
	for _, p := range all {
		names = append(names, p.name)
	}
	if near := nearest.Name(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "known are " + enumerate(names, "and")
}

func (p preset) apply(d *draft) {
	d.preset = &p
	l := &d.Latency
	l.Histogram, l.Matchers, l.Quantiles = p.histogram, nil, nil
	d.unit, l.Kind, l.Scope, l.Timeouts = p.unit, "auto", p.scope, p.timeouts
}

// settlePreset adds what a preset knows beside the latency, once all keys are
// read: the counters, narrowed as the histogram is, and what the client does
// unasked.
func (s scope) settlePreset(d *draft) {
	p := d.preset
	if p == nil {
		return
	}
	replaced := len(d.Latency.Quantiles) > 0 || p.histogram != "" && d.Latency.Histogram != p.histogram
	if replaced { // over defaults that have a preset
		p = &preset{}
	}
	d.Policy.AttemptLimit, d.Policy.DefaultRetries, d.Policy.DefaultBy = p.attemptLimit, 0, ""
	if _, _, set := s.find("policy.retries"); !set && p.defaultRetries > 0 {
		d.Policy.DefaultRetries, d.Policy.DefaultBy = p.defaultRetries, p.source
	}
	for _, m := range p.fixed {
		if !slices.ContainsFunc(d.Latency.Matchers, func(own *labels.Matcher) bool { return own.Name == m.Name }) {
			d.Latency.Matchers = append(slices.Clone(d.Latency.Matchers), m)
		}
	}
	matchers := slices.Clone(d.Latency.Matchers)
	for _, label := range d.template.forEach {
		matchers = append(matchers, equal(label, "$"+label))
	}
	for _, known := range []struct {
		key   string
		from  counter
		query *string
	}{
		{"attempts", p.attempts, &d.Observed.Attempts},
		{"timeouts", p.timedOut, &d.Observed.Timeouts},
		{"retries", p.retries, &d.Observed.Retries},
		{"calls", p.calls, &d.Observed.Calls},
	} {
		if _, _, set := s.find("observed." + known.key); !set {
			*known.query = known.from.rate(matchers)
		}
	}
	if p.connect != "" && !d.connect.set && d.Policy.ConnectTimeout > 0 {
		scale, _ := unitScale(p.connectUnit, p.connect)
		d.Connect = &Latency{Histogram: p.connect, Matchers: d.Latency.Matchers, Kind: "auto", UnitScale: scale, Scope: "attempt", Timeouts: "dropped"}
	}
}

// rate is PromQL for the counter's rate. One of those that appear with their
// first event counts as zero while others of its metric are there.
func (c counter) rate(matchers []*labels.Matcher) string {
	if c.metric == "" {
		return ""
	}
	sum := func(metric string, matchers []*labels.Matcher) string {
		var text []string
		for _, m := range matchers {
			text = append(text, m.String())
		}
		return fmt.Sprintf("sum(rate(%s{%s}[$window]))", metric, strings.Join(text, ","))
	}
	rate := sum(c.metric, slices.Concat(matchers, c.match))
	if len(c.match) > 0 {
		rate = fmt.Sprintf("%s or 0 * %s", rate, sum(c.metric, matchers))
	}
	if c.less != "" {
		rate = fmt.Sprintf("%s - %s", rate, sum(c.less, matchers))
	}
	return rate
}
