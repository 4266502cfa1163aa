package audit

// tippingRetries is the share of retries at which retries start to make an
// overload worse where no retry budget is declared: the budget that service
// meshes and RPC libraries ship with.
//
// Source: Finagle's RetryBudget and Envoy's retry_budget both default to 20%.
const tippingRetries = 0.2

// tripPoint is by which factor latency may grow, all of it alike, until the
// expected retries exceed the retry budget, or 20% of the calls without one:
// that is when an overload begins. Below 1 it has begun. Nil: no growth does it,
// or the buckets do not reach far enough to tell.
//
// derivation: scaling latency by s turns P(X > T) into P(X > T/s). With p* the
// ratio at which amplification is 1 + budget, and t* = quantile(1 − p*), that is
// s = T / t*.
func (a *Assessment) tripPoint() *float64 {
	if !a.retriesKnown() || a.callScope() || a.Limit <= 0 || a.Tail == nil {
		return nil
	}
	budget := tippingRetries
	if a.Policy.Budget != nil {
		budget = *a.Policy.Budget
	}
	free := *a
	free.Effective.Budget = nil
	if free.amplificationAt(1) <= 1+budget || free.amplificationAt(0) > 1+budget {
		return nil
	}
	at, bounded := a.Tail.Merged.Quantile(1 - invert(free.amplificationAt, 1+budget))
	if !bounded || at <= 0 {
		return nil
	}
	factor := a.Limit / at
	return &factor
}
