package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// Discover returns the dependencies that the configuration declares, with those
// that its templates stand for at the moment, and an assessment of each template
// that something is wrong with: nothing was found, the search failed, or more
// was found than is let in.
//
// A failed search keeps what was found before. A dependency whose series are
// gone is dropped at once, unless a finding about it stands: that is held for
// hold_for like any other whose data are missing.
func Discover(ctx context.Context, c *config.Config, o Observer, m Moment) ([]config.Dependency, []*audit.Assessment) {
	if len(c.Templates) == 0 {
		return c.Dependencies, nil
	}
	var entries []*audit.Assessment
	found := make([]config.Found, len(c.Templates))
	for i, d := range o.Discover(ctx, c.Templates, m.At) {
		t := c.Templates[i]
		f := config.Found{Template: t, Series: d.Series}
		entry := audit.Entry{Found: len(d.Series), Limit: t.MaxDependencies}
		switch {
		case d.Err != nil:
			why := failure(d.Err, []latency.Query{d.Query})
			f.Series = known(m.Previous, t, func(report.Dependency) bool { return why.Status == latency.StatusQueryFailed })
			entries = append(entries, audit.AssessEntry(t, m.At, entry, why))
		case f.Dropped() > 0:
			entries = append(entries, audit.AssessEntry(t, m.At, entry, nil))
		}
		held := known(m.Previous, t, func(past report.Dependency) bool { return stands(past, m.At, c.HoldFor) })
		f.Series = united(t, f.Series, held)
		found[i] = f
	}
	return config.Expand(c.Dependencies, found), entries
}

// known returns the label values of the last cycle's dependencies of a template,
// of those that are to be kept.
func known(previous *report.Report, t config.Template, keep func(report.Dependency) bool) []map[string]string {
	if previous == nil {
		return nil
	}
	var series []map[string]string
	for _, past := range previous.Dependencies {
		if past.Dependency.Entry == t.Name && past.Entry == nil && keep(past) {
			series = append(series, past.Dependency.Series)
		}
	}
	return series
}

// stands reports whether a finding about the dependency is still to be held.
func stands(past report.Dependency, now time.Time, holdFor time.Duration) bool {
	last := past.At
	if !past.Known() {
		if past.LastGood == nil {
			return false
		}
		last = past.LastGood.At
	}
	return len(past.Findings) > 0 && now.Sub(last) <= holdFor
}

// united adds the combinations that are not among the found ones.
func united(t config.Template, found, held []map[string]string) []map[string]string {
	key := func(series map[string]string) string {
		values := make([]string, len(t.ForEach))
		for i, label := range t.ForEach {
			values[i] = series[label]
		}
		return strings.Join(values, "\xff") // in no label value, which is UTF-8
	}
	seen := make(map[string]bool, len(found))
	for _, series := range found {
		seen[key(series)] = true
	}
	for _, series := range held {
		if !seen[key(series)] {
			found = append(found, series)
		}
	}
	return found
}

// Expanded is the configuration with the dependencies that its templates stand
// for in place of the templates. The error says which searches failed, or found
// nothing; what the others found is in the configuration all the same.
func Expanded(ctx context.Context, c *config.Config, o Observer, at time.Time) (*config.Config, error) {
	expanded := *c
	deps, entries := Discover(ctx, c, o, Moment{At: at})
	expanded.Dependencies, expanded.Templates = deps, nil
	var failed []error
	for _, entry := range entries {
		failed = append(failed, fmt.Errorf("%s: %s: %s", entry.Dependency.Name, entry.Status, entry.Detail))
	}
	return &expanded, errors.Join(failed...)
}

// audited is the configuration with the dependencies of the last cycle, those of
// templates among them, for what asks about the past of single dependencies.
func audited(c *config.Config, latest *report.Report) *config.Config {
	if len(c.Templates) == 0 {
		return c
	}
	with := *c
	with.Dependencies = nil
	for _, d := range latest.Dependencies {
		if d.Entry == nil {
			with.Dependencies = append(with.Dependencies, *d.Dependency)
		}
	}
	return &with
}
