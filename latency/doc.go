// Package latency says what a latency histogram can and cannot say about a
// timeout: which share p = P(X > timeout) of attempts takes longer, within
// which limits, and whether that is above or below a threshold.
//
// An Observation is what a metrics server answered. ReadTail turns it into a
// Tail: Readings, one for each account of what became of attempts that the
// caller itself cut off at the timeout; a point estimate with a hard bracket;
// a Status with Reasons. Tail.Compare decides, on counts and never on the point
// estimate, whether p is above a threshold. Below that lie the parts: the
// lognormal through two quantiles, Prometheus's own quantile and fraction of a
// histogram, Clopper–Pearson limits, maximum likelihood on bins (plain,
// censored, truncated), a mixture of two lognormals, and the local probit.
// docs/model.md has the formulas, under the section numbers that comments name.
//
// Times are seconds and shares are between 0 and 1. Everything is a value in
// and a value out: no clock, no log, no I/O, no state.
//
// # What it refuses
//
// It gives no verdict on data that contradict themselves: counts that fall,
// bounds that change inside the window, a mean that the buckets exclude. It
// does not fire on extrapolation: where a histogram has lost the attempts cut
// off and nothing counts them, it can clear a timeout far from all latencies
// and leaves all others uncertain. What it cannot see is a second mode that
// lies beyond the timeout as a whole and was dropped as a whole: only a counter
// of timeouts shows that. It does not take "no data" for a small number: a
// figure that cannot be given is a Status, never NaN or zero.
package latency
