package web

import (
	"fmt"
	"html/template"
	"math"

	"github.com/timeout-auditor/timeout-auditor/agent/web/chart"
	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// survivalView is the drawing of a dependency's latency, and the same as a
// table for those who read numbers.
type survivalView struct {
	Drawing template.HTML
	Legend  []legendEntry
	Buckets []bucketRow
}

// legendEntry explains a class of the drawing.
type legendEntry struct{ Class, Text string }

// bucketRow is one bucket: its upper bound, and what lies above that.
type bucketRow struct {
	Upper        float64 // +Inf: the last one
	Count, Above float64
}

// Bound is the bucket's upper bound in words.
func (b bucketRow) Bound() string { return figure.Seconds(b.Upper) }

// curvePoints is how many points draw a model: a line without visible corners.
const curvePoints = 72

// survivalOf draws an assessment; nil where no bucket was counted.
func survivalOf(a *audit.Assessment) *survivalView {
	if a.Tail == nil || !(a.Tail.Counted > 0) {
		return nil
	}
	drawing := chart.Survival{
		Text:    chart.Text{ID: "survival", Title: "How long attempts take", Description: describeSurvival(a)},
		Timeout: a.Limit,
	}
	view := survivalView{Legend: []legendEntry{{"box", "where the counts of the buckets let the curve run"}}}
	for _, bin := range positive(a.Tail.Merged) {
		above, _ := a.Tail.Merged.CountAbove(bin.Upper)
		if math.IsInf(bin.Upper, 1) {
			above = 0
		}
		view.Buckets = append(view.Buckets, bucketRow{bin.Upper, bin.Count, above / a.Tail.Counted})
		drawing.Bins = append(drawing.Bins, chart.Bin{
			Lower: max(bin.Lower, 0), Upper: bin.Upper, AboveLower: (above + bin.Count) / a.Tail.Counted, AboveUpper: above / a.Tail.Counted,
		})
	}
	view.marks(&drawing, a)
	times := span(drawing.Bins, max(a.Limit, drawing.Recommended))
	view.headline(&drawing, a, times)
	if a.Lognormal != nil {
		drawing.Curves = append(drawing.Curves, chart.Curve{Class: "lognormal", Points: along(times, a.Lognormal.Survival)})
		view.Legend = append(view.Legend, legendEntry{"lognormal", "the plain lognormal through p50 and p99, for comparison"})
	}
	view.Drawing = drawing.SVG()
	return &view
}

func (v *survivalView) marks(drawing *chart.Survival, a *audit.Assessment) {
	if a.Limit > 0 {
		v.Legend = append(v.Legend, legendEntry{"cut", "what the timeout cuts off"})
	}
	if a.P99 != nil {
		drawing.P99 = *a.P99
	}
	if r := a.Recommendation; r != nil && r.Step != nil && *r.Step != a.Limit {
		drawing.Recommended = *r.Step
	}
	if e := a.FalseTimeout; e != nil && a.Limit > 0 {
		drawing.Estimate = &chart.Estimate{Point: e.Point, Lower: e.Lower, Upper: e.Upper}
		v.Legend = append(v.Legend, legendEntry{"bracket", "the false-timeout ratio and what the counts allow it to be"})
	}
}

// positive are the bins that latencies can lie in.
func positive(h latency.Histogram) []latency.Bin {
	var bins []latency.Bin
	for _, bin := range h.Bins {
		if bin.Upper > 0 {
			bins = append(bins, bin)
		}
	}
	return bins
}

// span returns times from below the first to above the last bound or mark that
// matters, evenly in log time.
func span(bins []chart.Bin, marked float64) []float64 {
	low, high := math.Inf(1), marked*1.6
	for _, bin := range bins {
		if bin.AboveLower <= bin.AboveUpper {
			continue
		}
		if bin.Lower > 0 {
			low = min(low, bin.Lower)
		}
		low = min(low, bin.Upper/4)
		if !math.IsInf(bin.Upper, 1) {
			high = max(high, bin.Upper*1.1)
		} else {
			high = max(high, bin.Lower*1.1)
		}
	}
	if !(low > 0) || !(high > low) {
		return nil
	}
	times := make([]float64, curvePoints)
	for i := range times {
		times[i] = low * math.Pow(high/low, float64(i)/(curvePoints-1))
	}
	return times
}

func along(times []float64, share func(float64) float64) []chart.Point {
	points := make([]chart.Point, len(times))
	for i, t := range times {
		points[i] = chart.Point{Seconds: t, Share: share(t)}
	}
	return points
}

// headline draws the model behind the headline figure: solid where it rests on
// counts, dashed beyond a timeout that may have cut its own histogram.
func (v *survivalView) headline(drawing *chart.Survival, a *audit.Assessment, times []float64) {
	counted := func(t float64) float64 { p, _ := latency.HeadlineTail(a.Tail.Merged, t); return p }
	model, text := counted, "the model behind the headline figure"
	beyond := unseen(a)
	if beyond != nil {
		if fitted, whole := beyond.model(a); fitted != nil {
			v.Legend = append(v.Legend, legendEntry{"headline", text}, legendEntry{"beyond", "the same beyond the timeout, where nothing was seen: " + beyond.why})
			if whole {
				model = fitted
			}
			below, above := split(times, a.Limit)
			drawing.Curves = append(drawing.Curves,
				chart.Curve{Class: "headline", Points: along(below, model)}, chart.Curve{Class: "headline beyond", Points: along(above, fitted)})
			return
		}
		times, _ = split(times, a.Limit)
		text += "; beyond the timeout nothing was seen: " + beyond.why
	}
	v.Legend = append(v.Legend, legendEntry{"headline", text})
	drawing.Curves = append(drawing.Curves, chart.Curve{Class: "headline", Points: along(times, model)})
}

// split divides ascending times at a limit, which both parts get.
func split(times []float64, limit float64) (below, above []float64) {
	for _, t := range times {
		if t < limit {
			below = append(below, t)
		} else {
			above = append(above, t)
		}
	}
	return append(below, limit), append([]float64{limit}, above...)
}

// unseenTail says what became of attempts that the timeout cut off.
type unseenTail struct {
	recording latency.Recording
	why       string
}

// unseen is nil where the histogram goes on beyond the timeout undisturbed.
func unseen(a *audit.Assessment) *unseenTail {
	if a.Limit <= 0 || a.Tail == nil || len(a.Tail.Readings) == 0 {
		return nil
	}
	declared := latency.Recording(a.Dependency.Latency.Timeouts)
	switch first := a.Tail.Readings[0].Recording; {
	case first == latency.RecordingUncensored:
		return nil
	case first == latency.RecordingDropped, declared == latency.RecordingDropped:
		return &unseenTail{latency.RecordingDropped, "attempts cut off are missing from the histogram"}
	case declared == latency.RecordingUncensored:
		return nil
	}
	return &unseenTail{latency.RecordingRecorded, "attempts cut off are recorded at the timeout"}
}

// model returns the fit that says what lies beyond, nil without one; whole
// reports whether it holds below the timeout as well, where dropped attempts
// leave shares of the counts too large.
func (u unseenTail) model(a *audit.Assessment) (survival func(float64) float64, whole bool) {
	h := a.Tail.Merged
	fit, err := latency.FitCensored(h, a.Limit)
	whole = u.recording == latency.RecordingDropped
	switch timeouts := a.Observation.Observed.Timeouts; {
	case whole && timeouts != nil:
		fit, err = latency.FitWithTimeouts(h, a.Limit, *timeouts)
	case whole:
		fit, err = latency.FitTruncated(h, a.Limit)
	}
	if err != nil {
		return nil, false
	}
	return fit.Survival, whole
}

// describeSurvival says in a sentence what the drawing shows.
func describeSurvival(a *audit.Assessment) string {
	text := fmt.Sprintf("Share of attempts that take longer than a time, both on log axes, from %s calls.", figure.Count(a.Tail.Counted))
	if a.P99 != nil {
		at := "p99 is"
		if a.P99LowerBound {
			at = "p99 is at least"
		}
		text += fmt.Sprintf(" %s %s.", at, figure.Seconds(*a.P99))
	}
	if a.Limit > 0 && a.FalseTimeout != nil {
		e := *a.FalseTimeout
		text += fmt.Sprintf(" The timeout of %s cuts off %s, between %s and %s.",
			figure.Seconds(a.Limit), figure.Ratio(e.Point), figure.Ratio(e.Lower), figure.Ratio(e.Upper))
	}
	if r := a.Recommendation; r != nil && r.Step != nil {
		text += fmt.Sprintf(" The next timeout to set is %s.", figure.Seconds(*r.Step))
	}
	return text
}
