package audit

import (
	"fmt"
	"time"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Recent is the false-timeout ratio of the last part of the window alone, five
// minutes of an hour: whether it goes on, beside the verdict on the whole window
// (docs/model.md §8). The bracket is Clopper–Pearson's at 99.5% each side.
type Recent struct {
	Estimate
	Length time.Duration
}

// Recently reads the last part. Nil where the window has no parts, or where the
// histogram lacks what was cut off.
func (a *Assessment) Recently() *Recent {
	parts := a.Observation.Now.Parts
	if a.Limit <= 0 || a.Tail == nil || a.Tail.Blocked || len(parts) < 2 || len(a.Tail.Readings) == 0 {
		return nil
	}
	switch a.Tail.Readings[0].Recording {
	case latency.RecordingRecorded, latency.RecordingUncensored:
	default:
		return nil
	}
	last := parts[len(parts)-1]
	honest := a.Observation.Now.Honest()
	n := last.Total() * honest
	if n < 1 {
		return nil
	}
	sure, possible := last.CountAbove(a.Limit)
	const side = 0.995
	r := Recent{Length: a.Dependency.Window / time.Duration(len(parts))}
	r.Lower, r.Upper = latency.BinomialLower(sure*honest, n, side), latency.BinomialUpper(possible*honest, n, side)
	point, _, _ := latency.LocalProbit(last, a.Limit)
	r.Point = min(max(point, r.Lower), r.Upper)
	return &r
}

// recentNote sets the last part beside the window.
func (a *Assessment) recentNote() string {
	r := a.Recently()
	if r == nil || a.FalseTimeout == nil {
		return ""
	}
	return fmt.Sprintf("in the last %s %s (%s to %s) took longer than %s, %s in the whole window",
		model.Duration(r.Length), figure.Ratio(r.Point), figure.Ratio(r.Lower), figure.Ratio(r.Upper), figure.Seconds(a.Limit), figure.Ratio(a.FalseTimeout.Point))
}
