package retry

import "github.com/timeout-auditor/timeout-auditor/latency"

// Hedge is a second attempt, sent while the first is still waited for. Both
// share one deadline and the first reply wins. Times are seconds. What is not a
// number counts as an attempt that gets no reply.
//
// Source: J. Dean and L. A. Barroso, "The Tail at Scale", CACM 56(2), 2013.
type Hedge struct {
	Latency     latency.Lognormal // of one attempt that nothing cuts off
	Timeout     float64           // for both together; above 0
	After       float64           // when the second attempt is sent; 0: at once
	Correlation float64
}

// FailureRatio returns the share of calls that get no reply in time,
// rho·S(T) + (1−rho)·S(T)·S(T−H) (docs/model.md §5). derivation: calls with one
// fate gain nothing; in the others the second attempt has T−H left.
func (h Hedge) FailureRatio() float64 {
	first := h.open(h.Timeout)
	if !(h.After < h.Timeout) {
		return first
	}
	return mix(ratio(h.Correlation), first, first*h.open(h.Timeout-max(h.After, 0)))
}

// ExtraLoad returns the hedges sent per call: S(H), the share of first attempts
// still open when the hedge is due; 0 when they have all ended by then.
func (h Hedge) ExtraLoad() float64 {
	if !(h.After < h.Timeout) {
		return 0
	}
	return h.open(max(h.After, 0))
}

// open returns the share of attempts without a reply after t seconds.
func (h Hedge) open(t float64) float64 {
	if !known(h.Latency) {
		return 1
	}
	return ratio(h.Latency.Survival(t))
}
