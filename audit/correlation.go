package audit

import (
	"slices"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

// Where a correlation comes from.
const (
	SourceConfigured = "configured" // the configuration gives a number
	SourceDefault    = "default"    // auto, and no data say anything
	SourceCounters   = "counters"   // auto, from retries and fallbacks per call
	SourceWindows    = "windows"    // auto, from the ups and downs between sub-windows
)

// Correlation is rho of docs/model.md §5 and where it comes from.
type Correlation struct {
	Value    float64
	Source   string
	Interval *retry.Interval // from data, where there are enough occasions
}

// correlate chooses rho (docs/model.md §7): the configured number, or under
// auto what the counters say, else the default, in both cases not below what
// the sub-windows show, which is a lower bound.
func (a *Assessment) correlate() {
	c := a.Dependency.Correlation
	if !c.Auto {
		a.Correlation = Correlation{Value: c.Value, Source: SourceConfigured}
		return
	}
	a.Correlation = Correlation{Value: c.Value, Source: SourceDefault}
	if found, err := a.fromCounters(); err == nil {
		a.Correlation = Correlation{Value: found.Rho, Source: SourceCounters, Interval: found.Interval}
	}
	if found, err := a.fromWindows(); err == nil && found.Rho > a.Correlation.Value {
		a.Correlation = Correlation{Value: found.Rho, Source: SourceWindows, Interval: found.Interval}
	}
}

// fromCounters is valid only where every failure is retried in full.
func (a *Assessment) fromCounters() (retry.Correlation, error) {
	o := a.Observation.Observed
	n := a.Policy.Retries + 1
	if o.Calls == nil || o.Retries == nil || o.Fallbacks == nil || !a.retriesEveryFailure() {
		return retry.Correlation{}, retry.ErrNotIdentifiable
	}
	return retry.RhoFromCounters(retry.CallCounts{Attempts: n, Calls: *o.Calls, Retries: *o.Retries, Exhausted: *o.Fallbacks})
}

// retriesEveryFailure reports whether no retry budget denies a retry and no
// deadline drops one or cuts it short.
func (a *Assessment) retriesEveryFailure() bool {
	shortened := func(timeout float64) bool { return timeout != a.Limit }
	return a.Policy.Budget == nil && a.Effective.RetryOnTimeout && a.Effective.Attempts == a.Policy.Retries+1 &&
		!slices.ContainsFunc(a.Effective.Timeouts, shortened)
}

func (a *Assessment) fromWindows() (retry.WindowCorrelation, error) {
	if a.Tail == nil || a.Limit <= 0 || a.Effective.Attempts < 2 {
		return retry.WindowCorrelation{}, retry.ErrNotIdentifiable
	}
	var windows []retry.WindowCount
	for _, part := range a.Observation.Now.Parts {
		above, _ := part.CountAbove(a.Limit)
		if total := part.Total(); total > 0 {
			windows = append(windows, retry.WindowCount{Timeouts: above, Attempts: total})
		}
	}
	return retry.RhoFromWindows(a.Effective.Attempts, windows)
}
