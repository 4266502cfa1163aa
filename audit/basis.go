package audit

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// basis is the latency that a recommendation is taken from: what the target
// ratio of attempts exceeds. Times are seconds.
type basis struct {
	seconds float64
	from    string // where it is from, for a person
	past    bool
	refused string // why there is none; empty where there is one
}

// basis chooses it by docs/model.md §9: the larger of the pooled quantile of the
// past and of the worst window's lower limit, with the present window as one
// more; the present window alone while nothing is known of the past.
func (a *Assessment) basis(target float64) basis {
	h := a.History
	if h == nil || h.Quantile == nil {
		return a.basisNow(target)
	}
	bounded := !h.Unbounded
	b := basis{seconds: *h.Quantile, past: true, from: fmt.Sprintf("the %g quantile of the last %s", 1-target, h.span())}
	if w := h.Worst; w != nil && w.Seconds > b.seconds {
		bounded = bounded && !w.Unbounded
		b.seconds, b.from = w.Seconds, fmt.Sprintf("what the %g quantile of the worst %s, up to %s, surely exceeded", 1-target, wholeDays(h.Step), minute(w.At))
	}
	now := pastStep{Assessment: a}
	if now.enough(target) {
		if q, ok := now.lowerQuantile(target, h.Steps); q > b.seconds {
			bounded = bounded && ok
			b.seconds, b.from = q, fmt.Sprintf("what the %g quantile of this window surely exceeds", 1-target)
		}
	}
	if !bounded {
		return basis{refused: b.from + " lies beyond the highest finite bucket bound: add higher bounds"}
	}
	if least := a.Limit / (1 + a.Dependency.Headroom); h.Bent > 0 && b.seconds < least {
		b.seconds = least
		b.from = fmt.Sprintf("no less than now, since in %d of %d windows of the past nothing beyond %s is known: %s",
			h.Bent, h.Steps, figure.Seconds(a.Limit), figure.Seconds(least))
	}
	return b
}

// basisNow rests on the present window alone.
func (a *Assessment) basisNow(target float64) basis {
	if a.Tail.Samples < enoughAbove/target {
		return basis{refused: fmt.Sprintf("a quantile of %g needs %.0f calls in the window, and there are %.0f",
			1-target, enoughAbove/target, a.Tail.Samples)}
	}
	quantile, bounded := a.quantile(target)
	if !bounded {
		return basis{refused: fmt.Sprintf("the %g quantile lies beyond the highest finite bucket bound: add higher bounds", 1-target)}
	}
	window := "the window"
	if a.Dependency.Window > 0 {
		window = "the last " + wholeDays(a.Dependency.Window)
	}
	return basis{seconds: quantile, from: fmt.Sprintf("the %g quantile of %s alone", 1-target, window)}
}
