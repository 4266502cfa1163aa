package agent

import (
	"context"
	"sync"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// historyStep is the length of one window of the past (docs/model.md §9).
const historyStep = time.Hour

// What a daemon spends on the past: at most two dependencies between two cycles,
// each once an hour, only while no cycle is due, and none that would make the
// server read more samples than it does for a large dashboard.
const (
	historyEvery    = time.Hour
	historyRetry    = 5 * time.Minute // after a query that was not answered
	historyKept     = 24 * time.Hour  // an older one is forgotten
	historyTime     = 30 * time.Second
	historyLeast    = time.Second // with less time than this until the next cycle, none is asked
	historySamples  = 20e6
	historiesAtOnce = 2
)

// Histories looks at the past of every dependency once, as far back as the
// configuration says, and returns what is known of it by name.
func Histories(ctx context.Context, c *config.Config, h Historian, at time.Time) map[string]*audit.History {
	known := map[string]*audit.History{}
	for name, looked := range lookBack(ctx, lookBackOptions{deps: c.Dependencies, historian: h, at: at, length: c.History}) {
		if looked.history.Steps > 0 {
			known[name] = &looked.history
		}
	}
	return known
}

type lookBackOptions struct {
	deps       []config.Dependency
	historian  Historian
	at         time.Time
	length     time.Duration
	maxSamples float64 // of one dependency; 0: no bound
}

// lookedBack is what one look at the past brought.
type lookedBack struct {
	history audit.History
	failed  bool // some query was not answered
}

func lookBack(ctx context.Context, o lookBackOptions) map[string]lookedBack {
	var (
		lock   sync.Mutex
		looked = map[string]lookedBack{}
	)
	o.historian.Histories(ctx, o.deps, promquery.HistoryOptions{
		End: o.at.UTC().Truncate(historyStep), Step: historyStep, Steps: int(o.length / historyStep), MaxSamples: o.maxSamples,
	}, func(i int, steps []promquery.Result) {
		inputs := past(o.deps[i], steps)
		result := lookedBack{history: audit.AssessHistory(&o.deps[i], inputs)}
		for _, in := range inputs {
			result.failed = result.failed || in.Failure != nil && in.Failure.Status == latency.StatusQueryFailed
		}
		lock.Lock()
		defer lock.Unlock()
		looked[o.deps[i].Name] = result
	})
	return looked
}

// histories is what a daemon knows of the past, by dependency. It belongs to the
// goroutine that runs the cycles.
type histories map[string]remembered

type remembered struct {
	history audit.History
	looked  time.Time // when it was last looked at, with success
	next    time.Time // when to look again
}

// known returns the histories that are fresh enough to be used.
func (h histories) known(now time.Time) map[string]*audit.History {
	fresh := map[string]*audit.History{}
	for name, r := range h {
		if r.history.Steps > 0 && now.Sub(r.looked) <= historyKept {
			fresh[name] = &r.history
		}
	}
	return fresh
}

// due chooses which dependencies to look back at now: the one of those with a
// warning or worse that has waited longest, and the one of all others, if all of them
// can be looked at within a day. Those with warnings come first because their
// recommendation is what somebody is about to set.
func (h histories) due(c *config.Config, r *report.Report, now time.Time) []config.Dependency {
	found := map[string]bool{}
	for _, f := range r.Findings {
		found[f.Dependency] = found[f.Dependency] || f.Severity.AtLeast(rules.Warning)
	}
	reachable := len(c.Dependencies) <= int(historyKept/max(c.Schedule.Gap, time.Second))
	var withFinding, other *config.Dependency
	for i := range c.Dependencies {
		dep := &c.Dependencies[i]
		if h[dep.Name].next.After(now) {
			continue
		}
		slot := &other
		switch {
		case found[dep.Name]:
			slot = &withFinding
		case !reachable:
			continue
		}
		if *slot == nil || h[dep.Name].next.Before(h[(*slot).Name].next) {
			*slot = dep
		}
	}
	var chosen []config.Dependency
	for _, dep := range []*config.Dependency{withFinding, other} {
		if dep != nil && len(chosen) < historiesAtOnce {
			chosen = append(chosen, *dep)
		}
	}
	return chosen
}

// learn takes in what a look at the past brought, and forgets dependencies that
// are no longer configured.
func (h histories) learn(c *config.Config, looked map[string]lookedBack, now time.Time) {
	for name, result := range looked {
		next := remembered{history: result.history, looked: now, next: now.Add(historyEvery)}
		if result.failed {
			next = h[name]
			next.next = now.Add(historyRetry)
		}
		h[name] = next
	}
	configured := make(map[string]bool, len(c.Dependencies))
	for _, dep := range c.Dependencies {
		configured[dep.Name] = true
	}
	for name := range h {
		if !configured[name] {
			delete(h, name)
		}
	}
}

// lookBack asks about the past of a few dependencies, in the time until the next
// cycle is due.
func (a *Agent) lookBack(ctx context.Context, until time.Time) {
	now, current := time.Now(), a.current.Load()
	historian, able := current.observer.(Historian)
	latest := a.report.Load()
	left := min(historyTime, until.Sub(now))
	if !able || current.config.History < historyStep || latest == nil || latest.Result() == report.Failure || left < historyLeast {
		return
	}
	c := audited(current.config, latest)
	deps := a.histories.due(c, latest, now)
	if len(deps) == 0 {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	a.histories.learn(c, lookBack(bounded, lookBackOptions{
		deps: deps, historian: historian, at: now, length: current.config.History, maxSamples: historySamples,
	}), now)
}
