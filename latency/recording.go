package latency

// Recording says what became of attempts that the caller cut off at the
// timeout: whether and where the histogram has them (docs/model.md §3).
type Recording string

const (
	RecordingAuto       Recording = "auto"       // found from the data
	RecordingRecorded   Recording = "recorded"   // at about the timeout
	RecordingDropped    Recording = "dropped"    // not at all
	RecordingUncensored Recording = "uncensored" // nothing was cut off in this histogram
	RecordingMeasured   Recording = "measured"   // a counter has them
)

const (
	farCount = 10   // values that lie too far beyond the timeout to have been cut off by it,
	farShare = 0.05 // and their share of all above it, that show a histogram uncensored
)

// uncensored reports whether the values above the timeout show that it cut
// nothing off in this histogram.
func (r reader) uncensored() bool {
	far, _ := r.merged.CountAbove(beyondLate(r.timeout))
	_, above := r.merged.CountAbove(r.timeout)
	return far*r.honest >= farCount && far >= farShare*above && !r.spike
}

// recordings lists the accounts of attempts cut off that the declaration and
// the data leave open.
func (r reader) recordings() []Recording {
	switch r.opts.Recording {
	case RecordingRecorded, RecordingDropped, RecordingUncensored:
		return []Recording{r.opts.Recording}
	}
	if r.uncensored() {
		if r.opts.Retries {
			// Whole calls with their retries inside go on beyond the timeout as well.
			return []Recording{RecordingUncensored, RecordingRecorded}
		}
		return []Recording{RecordingUncensored}
	}
	return []Recording{RecordingRecorded, RecordingDropped, RecordingUncensored}
}

// contradicted reports whether the histogram has about as much above the
// timeout as its bins below lead to expect, so that next to nothing can have
// been dropped. expected is a lower limit of what they do.
func contradicted(dropped Evidence, expected float64) bool {
	const within = 2
	return dropped.Above >= farCount && dropped.Upper(clearAt) >= expected/within
}
