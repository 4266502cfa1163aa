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

// HedgeRatios is what an outcome has to know of the second request that is sent
// beside one still open.
type HedgeRatios struct {
	Open float64 // S(H): first requests still open when the hedge is due
	Late float64 // S(T − H): hedges that do not end within what is left of the timeout
}

// attempt is what becomes of one attempt whose requests are independent draws,
// and how many requests it sends. An attempt that the deadline cut short counts
// as one that is not hedged: its fallbacks are overstated, never hidden.
//
// derivation: a share of the errors, as large as that of the replies, comes
// before the hedge is due and ends the attempt. Of the others both requests have
// to fail. It times out when both do; what else fails counts as an error.
func (c call) attempt(errors, timeouts int) (timedOut, erred, requests float64) {
	p := c.p[errors][timeouts]
	e := min(c.e, 1-p)
	if c.hedge == nil || p > c.p[0][0] || p == 1 {
		return p, e, 1
	}
	open := max(ratio(c.hedge.Open), p)
	late := max(ratio(c.hedge.Late), p)
	failing := e / (1 - p)
	second := late + (1-late)*failing
	failed := failing*(1-open) + (p+failing*(open-p))*second
	return p * late, failed - p*late, 1 + open
}

// requestsOfOneFate counts the requests of an attempt in calls whose requests
// all meet one fate: of one that times out, and of one that ends in an error.
func (c call) requestsOfOneFate() (timedOut, erred float64) {
	p := c.p[0][0]
	if c.hedge == nil || p == 1 {
		return 1, 1
	}
	open := max(ratio(c.hedge.Open), p)
	return 2, 1 + (open-p)/(1-p)
}
