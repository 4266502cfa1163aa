package latency

// BoundsNeeded returns the bucket bounds in seconds, ascending and without
// +Inf, at which the counts of single parts are read when the window is judged
// against the given timeouts: the bound at or above each and the one before it,
// and the highest bound below with enough values above it to show bursts. k is
// the number of parts. The other bounds are needed of the whole window alone.
func (w Window) BoundsNeeded(k int, timeouts ...float64) []float64 {
	h := w.Whole
	needed := make([]bool, len(h.Bins)) // of the upper bounds
	for _, timeout := range timeouts {
		t := h.snap(timeout)
		if !(t > 0) {
			continue
		}
		at := 0
		for at < len(h.Bins) && h.Bins[at].Upper < t {
			at++
		}
		for i := max(at-1, 0); i <= at && i < len(h.Bins); i++ {
			needed[i] = true
		}
		if i := h.bursts(t, w.Honest(), k); i > 0 {
			needed[i-1] = true
		}
	}
	var bounds []float64
	for i := range max(len(h.Bins)-1, 0) {
		if needed[i] {
			bounds = append(bounds, h.Bins[i].Upper)
		}
	}
	return bounds
}

// bursts returns the highest bin that begins below t such that it and all above
// it hold enough values in each of k parts for their dispersion to be told; 0
// where there is none.
func (h Histogram) bursts(t, honest float64, k int) int {
	const enough = 2 // values above the bound per part
	above := 0.0
	for i := len(h.Bins) - 1; i > 0; i-- {
		above += h.Bins[i].Count
		if h.Bins[i].Lower < t && above*honest >= enough*float64(k) {
			return i
		}
	}
	return 0
}
