package promquery

import (
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// part is one histogram of the buckets answer. The zero part says that no
// series had two samples at that moment, which is not the same as no calls.
type part struct {
	present bool
	hist    latency.Histogram
	err     *Error
}

// columns puts the samples of a range answer under the moments they belong to.
// It refuses series that come twice and moments that were not asked for.
func columns(a answer, g grid, each func(i int, l *labelSet, v point) *Error) *Error {
	if a.kind != model.ValMatrix {
		return malformed("asked for a matrix, got " + a.typed())
	}
	if l := a.twice(); l != nil {
		return malformed("the series " + line(l.metric.String()) + " comes twice")
	}
	seen := make([]bool, g.n)
	for _, r := range a.rows {
		clear(seen)
		if err := eachPoint(r, g, seen, each); err != nil {
			return err
		}
	}
	return nil
}

// eachPoint puts the samples of one series under their moments.
func eachPoint(r row, g grid, seen []bool, each func(i int, l *labelSet, v point) *Error) *Error {
	for _, p := range r.points {
		i, ok := g.index(p.at)
		switch {
		case !ok:
			return malformed(fmt.Sprintf("a sample at %s, outside the range", p.at.Time().UTC().Format(time.RFC3339)))
		case seen[i]:
			return malformed("a sample of the series " + line(r.metric.String()) + " comes twice")
		}
		seen[i] = true
		if err := each(i, r.labelSet, p); err != nil {
			return err
		}
	}
	return nil
}

// window joins k parts. Parts without samples become empty histograms of the
// same layout, so that sums and the length of the window stay right.
func window(parts []part, scrapes float64) (latency.Window, *Error) {
	var first *latency.Histogram
	for i := range parts {
		if parts[i].err != nil {
			return latency.Window{}, parts[i].err
		}
		if parts[i].present && first == nil {
			first = &parts[i].hist
		}
	}
	if first == nil {
		return latency.Window{}, nil
	}
	w := latency.Window{Scrapes: scrapes, Parts: make([]latency.Histogram, len(parts))}
	for i, p := range parts {
		w.Parts[i] = p.hist
		if !p.present {
			w.Parts[i] = emptied(*first)
		}
	}
	return w, nil
}

// emptied is a histogram of the same layout that holds nothing.
func emptied(like latency.Histogram) latency.Histogram {
	h := latency.Histogram{Scheme: like.Scheme}
	if like.Scheme == latency.Classic {
		h.Bins = make([]latency.Bin, len(like.Bins))
		for i, b := range like.Bins {
			h.Bins[i] = latency.Bin{Lower: b.Lower, Upper: b.Upper}
		}
	}
	if like.Sum != nil {
		h.Sum = new(float64)
	}
	return h
}

// gaps looks for parts of the window without samples. Where more than half of
// the window has passed since the last of them, the window no longer describes
// the present, and that is no data. Less is a note.
func gaps(parts []part, step time.Duration) (note string, err *Error) {
	missing, last := 0, -1
	for i, p := range parts {
		if p.present {
			last = i
		} else {
			missing++
		}
	}
	silent := len(parts) - 1 - last
	silence := time.Duration(silent) * step
	switch {
	case last < 0:
		return "", &Error{
			Kind: KindNoData,
			Message: "no series has two samples in any part of the window: " +
				"its series ended, or samples are too far apart; lengthen the window",
		}
	case 2*silent > len(parts):
		return "", &Error{
			Kind: KindNoData,
			Message: fmt.Sprintf("the series ended: no samples in the last %s, more than half of the window; "+
				"is the caller still running and scraped? For a caller that runs now and then, lengthen the window", age(silence)),
		}
	case missing == 0:
		return "", nil
	}
	said := []string{fmt.Sprintf("%d of %d parts of the window, %s each, hold no samples", missing, len(parts), age(step))}
	if silent > 0 {
		said = append(said, fmt.Sprintf("the series ended at least %s ago, and the figures describe the time before", age(silence)))
	}
	return strings.Join(said, "; "), nil
}
