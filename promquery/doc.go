// Package promquery asks a Prometheus-compatible server what each dependency's
// latency was and hands the answer on as a latency.Observation. It is the only
// package that talks to Prometheus.
//
// A dependency with a histogram asks these questions, each a PromQL expression
// that is assembled as a syntax tree and printed, never pasted together:
//
//   - scrapes: which form of the histogram exists (classic or native), how many
//     samples each series has in the window, and whether all series share one
//     bucket layout;
//   - buckets: the window and the one before it, each in up to 12 parts, by one
//     range query;
//   - quantiles: histogram_quantile, the figures on dashboards, of a native
//     histogram alone; of a classic one they follow from its buckets;
//   - replicas: the window by replica, where a label tells them apart;
//   - error-ratio and observed-*: the expressions that the configuration gives,
//     attempts and timeouts also for the window before.
//
// In place of the first four, summary asks a summary for its own median and
// p99, and quantile-* are expressions of the configuration. Where nothing
// answers, names asks what goes by that name instead.
//
// The past is asked for in the same way, a step of History being the window of
// an observation, with one range query for the scrapes of all steps and one for
// the counts of as many as a bounded reply holds.
//
// Dependencies whose selectors differ in the values of equality matchers alone
// are asked about together: the same expression over the union of the values,
// by their labels. Each gets the elements with its own values, without these
// labels: what its own query would have been answered with. Queries in an
// observation are those of one dependency, to be asked by hand, whatever went
// over the wire.
//
// It refuses to guess. An empty answer, a metric that is no histogram, buckets
// that fall, series with different bounds, an answer that leaves data out, HTML
// in place of JSON or a reply cut short each is an *Error with a kind and a sentence that says what to do; none
// of them becomes a zero. One dependency's failure leaves the others alone, every
// query has a deadline, every reply a largest size, and no message shows a
// credential.
package promquery
