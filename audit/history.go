package audit

import (
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/figure"
)

// History is what a dependency's past, window by window, says about the timeout
// that it needs. Times are seconds.
type History struct {
	Since, Until time.Time
	Step         time.Duration // length of one window
	Steps        int           // windows with counts
	Samples      float64       // calls in them

	// Quantile is the pooled quantile(1 − target ratio); nil with fewer than
	// 10 ÷ target calls. Unbounded: it lies beyond the highest finite bound, and
	// Quantile is that bound.
	Quantile  *float64
	Unbounded bool

	// Worst is the window with the largest 99.9% lower limit of that quantile,
	// among the Enough windows with 10 ÷ target calls; nil without one.
	Worst  *PastQuantile
	Enough int

	// Bent counts the windows in which the timeout itself cut more than the target
	// ratio, so that nothing beyond it is known of them.
	Bent int

	// P99Low and P99High are the range of the windows' p99; 0 without one.
	P99Low, P99High float64

	p99s    []pastP99
	subject string
}

// PastQuantile is a quantile of one window of the past.
type PastQuantile struct {
	At        time.Time // the end of the window
	Seconds   float64
	Unbounded bool // it lies beyond the highest finite bound, which Seconds is
}

// pastP99 is the p99 of one window; 0: not known.
type pastP99 struct {
	at      time.Time
	seconds float64
}

// AssessHistory sums up a dependency's past, one Input for each window, oldest
// first, with the window's length as Dependency.Window. It never fails: a past without counts has no Steps.
func AssessHistory(dep *config.Dependency, steps []Input) History {
	h := newHistory(dep, len(steps))
	for _, in := range steps {
		h.add(readPast(in))
	}
	return h.conclude()
}

// gathering is a History that grows.
type gathering struct {
	History
	windows int // all of them, without counts too
	target  float64
	pool    mixture
}

func newHistory(dep *config.Dependency, windows int) *gathering {
	policy := declaredPolicy(dep.Policy)
	a := Assessment{Dependency: dep, Policy: policy, Limit: limitOf(dep, policy.Effective())}
	return &gathering{History: History{subject: a.pastSubject()}, windows: windows, target: dep.TargetFalseTimeoutRatio}
}

func (g *gathering) add(s pastStep) {
	if g.Since.IsZero() {
		g.Step = s.Dependency.Window
		g.Since = s.At.Add(-g.Step)
	}
	g.Until = s.At
	if !s.counted() {
		return
	}
	g.Steps++
	g.Samples += s.Tail.Samples
	g.pool = g.pool.add(s.Tail.Merged)
	if s.p99 > 0 {
		if g.P99Low == 0 {
			g.P99Low = s.p99
		}
		g.P99Low, g.P99High = min(g.P99Low, s.p99), max(g.P99High, s.p99)
		g.p99s = append(g.p99s, pastP99{s.At, s.p99})
	}
	if s.bentPast() {
		g.Bent++
	}
	if s.enough(g.target) {
		g.Enough++
		if q, bounded := s.lowerQuantile(g.target, g.windows); q > 0 && (g.Worst == nil || q > g.Worst.Seconds) {
			g.Worst = &PastQuantile{At: s.At, Seconds: q, Unbounded: !bounded}
		}
	}
}

func (g *gathering) conclude() History {
	if g.Samples >= enoughAbove/g.target && len(g.pool) > 0 {
		quantile, bounded := g.pool.quantile(g.target)
		g.Quantile, g.Unbounded = &quantile, !bounded
	}
	return g.History
}

// pastSubject names what a past is about: the same latency against the same
// timeout and target. Of another one it says nothing.
func (a *Assessment) pastSubject() string {
	return fmt.Sprintf("%s target=%g", a.Subject(), a.Dependency.TargetFalseTimeoutRatio)
}

// remember takes the history that belongs to what is assessed.
func (a *Assessment) remember(h *History) {
	if h != nil && h.Steps > 0 && h.subject == a.pastSubject() {
		a.History = h
	}
}

// span says how long the past is, as people do.
func (h History) span() string {
	return wholeDays(h.Until.Sub(h.Since))
}

func wholeDays(d time.Duration) string {
	switch {
	case d > 0 && d%(24*time.Hour) == 0:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return model.Duration(d).String()
}

const (
	asHigh     = 0.9  // share of the p99 now from which on a past one counts as high as it
	seldomHigh = 0.25 // share of the windows up to which high ones in a row are news
)

// recentP99 sets the p99 now beside those of the past: "new since" or "usual for
// the last 7d" (docs/model.md §8). Empty where either is not known.
func (a *Assessment) recentP99() string {
	if a.History == nil || len(a.History.p99s) == 0 || a.P99 == nil || !(*a.P99 > 0) {
		return ""
	}
	h := *a.History
	n := len(h.p99s)
	high := slices.DeleteFunc(slices.Clone(h.p99s), func(p pastP99) bool { return p.seconds < asHigh**a.P99 })
	if len(high) == 0 {
		return fmt.Sprintf("p99 is new: higher than in all %d windows of %s since %s (%s to %s)",
			n, wholeDays(h.Step), minute(h.Since), figure.Seconds(h.P99Low), figure.Seconds(h.P99High))
	}
	if inARow := high[0] == h.p99s[n-len(high)]; inARow && float64(len(high)) <= seldomHigh*float64(n) {
		return fmt.Sprintf("p99 is new since %s: lower in all %d windows of %s before, back to %s",
			minute(high[0].at.Add(-h.Step)), n-len(high), wholeDays(h.Step), minute(h.Since))
	}
	return fmt.Sprintf("p99 is usual for the last %s: as high in %d of %d windows of %s", h.span(), len(high), n, wholeDays(h.Step))
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02T15:04Z") }
