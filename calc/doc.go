// Package calc holds the three calculators: what a timeout and its retries do
// to calls (Fallback), what a timeout costs and catches (Timeout), and how a
// deadline divides among hops (Budget). Each is an input struct, a result with
// JSON tags and a Text method that writes tables. The command line and the web
// page show the same results.
//
// All of them rest on the lognormal through two quantiles, docs/model.md §1,
// and on package retry. Times are seconds, ratios 0 to 1; text input takes Go
// durations such as 1.4s and 250us.
//
// It refuses input that has no answer, with an *InputError that names the
// input, the value and what would be right. It does not look at measured data:
// that is what the auditor is for.
package calc
