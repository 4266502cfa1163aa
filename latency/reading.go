package latency

import "math"

// Reading is P(X > timeout) under one account of what became of attempts cut
// off. Point lies within [Lower, Upper], which is the hard bracket: limits on
// counts at 99.5% each. Of an Extrapolated reading Upper is the larger limit of
// the fit and of a power law through the bins just below the timeout.
type Reading struct {
	Recording Recording
	Now       Evidence
	Before    *Evidence // nil without data that old

	Point, Lower, Upper float64
	Method              string // how Point was found
	Spike               bool   // values pile up at the timeout

	Extrapolated bool    // nothing was counted beyond the timeout: the figure is the model's
	ClearLimit   float64 // the same limit at 95%; only of an extrapolated reading
}

// reader is what the readings of one observation share.
type reader struct {
	now, before Window
	opts        TailOptions
	timeout     float64
	merged      Histogram
	honest      float64 // factor of counts
	spike       bool
	models      *Models
}

// readings returns P(X > timeout) under every account that is open.
func (r reader) readings() []Reading {
	if measured, ok := r.measured(); ok {
		return r.crossChecked(measured)
	}
	if !(r.honest > 0) || !(r.merged.Total() > 0) {
		return nil
	}
	var readings []Reading
	recordings := r.recordings()
	for _, recording := range recordings {
		switch recording {
		case RecordingRecorded:
			readings = append(readings, r.recorded())
		case RecordingUncensored:
			readings = append(readings, r.uncensoredReading())
		case RecordingDropped:
			reading, expected := r.dropped()
			if len(recordings) > 1 && contradicted(reading.Now, expected) {
				continue
			}
			readings = append(readings, reading)
		}
	}
	return readings
}

func (r reader) uncensoredReading() Reading {
	reading := r.counted(RecordingUncensored, possiblyAbove(r.timeout)).bracketed()
	point, method := r.models.headline(r.merged, r.timeout)
	return reading.at(point, method)
}

// recorded counts all bins that reach the timeout as possibly cut off, the one
// that ends there included: a rounded timeout lies on its bound. The point is
// the count where the timeout is a bound and nothing says that timeouts lie
// below it, else what the bins below the timeout lead to expect.
func (r reader) recorded() Reading {
	reading := r.counted(RecordingRecorded, atOrAbove(r.timeout)).bracketed()
	sure, possible := r.merged.CountAbove(r.timeout)
	total := r.merged.Total()
	x := expectBeyond(r.merged, r.timeout, reading.Now.widest()/r.honest)
	short := withoutPossible(reading.Now).Upper(clearAt) < x.lower
	if sure == possible && !r.spike && !short {
		return reading.at(sure/total, MethodCounted)
	}
	return reading.at(min(max(x.point, sure/total), r.merged.countFrom(r.timeout)/total), x.method)
}

// counted fills in the evidence; possible says what an upper limit must count.
func (r reader) counted(recording Recording, possible counter) Reading {
	sure := surelyAbove(r.timeout)
	reading := Reading{Recording: recording, Now: r.now.evidence(sure, possible), Spike: r.spike}
	if before := r.before.evidence(sure, possible); before.Total > 0 {
		reading.Before = &before
	}
	return reading
}

// bracketed fills in the hard bracket of the counts.
func (r Reading) bracketed() Reading {
	r.Lower, r.Upper = r.Now.Lower(bracketSide), r.Now.Upper(bracketSide)
	return r
}

// at sets the point, which may not leave the bracket.
func (r Reading) at(point float64, method string) Reading {
	r.Point, r.Method = min(max(point, r.Lower), r.Upper), method
	return r
}

// expectation is what the bins below a timeout lead to expect above it, lower
// being a limit at 95%, 0 where there is none.
type expectation struct {
	point, lower float64
	method       string
}

// expectBeyond returns P(X > t) from the bins below t and the count of all
// others: the censored fit where it fits, else the line through the last two
// bounds below t. d is the dispersion of the histogram's counts.
func expectBeyond(h Histogram, t, d float64) expectation {
	open := h.openFrom(t)
	if fit, err := FitCensored(h, t); err == nil && !misfit(open, fit, d).beyondChance(fit.N/d) {
		return expectation{fit.Survival(t), fit.SurvivalLower(t, clearAt, d), MethodCensored}
	}
	p, _, _ := LocalProbit(open, t)
	return expectation{point: p, method: MethodLocalProbit}
}

// openFrom returns the histogram with all bins that reach t as one open bin.
func (h Histogram) openFrom(t float64) Histogram {
	t = h.snap(t)
	open := Histogram{Scheme: h.Scheme}
	last := Bin{Lower: t, Upper: math.Inf(1)}
	for i, b := range h.Bins {
		if b.Upper < t {
			open.Bins = append(open.Bins, b)
			continue
		}
		last.Lower = min(last.Lower, h.floor(i))
		last.Count += b.Count
	}
	open.Bins = append(open.Bins, last)
	return open
}
