// Package retry says what a policy of timeouts, retries, backoff, a deadline
// and a retry budget does to calls whose attempts time out with a known
// probability: which policy takes effect, how many calls end in a fallback and
// from which cause, how many attempts are sent, how long a call takes, how a
// deadline divides among hops, and how strongly the attempts of one call share
// their fate.
//
// It is arithmetic on values. Times are seconds, ratios lie between 0 and 1.
// Formulas stand in docs/model.md §5, §6, §7 and §9.
//
// It refuses to let an unknown look fine: Validate names what is wrong with an
// input, and the arithmetic, which must always answer, counts a ratio that is
// not a number as 1, the worst it can be. It never returns NaN. It knows
// nothing of histograms, configuration, clocks or other packages' findings.
package retry
