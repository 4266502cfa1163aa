// Package promquery asks a Prometheus-compatible server what each dependency's
// latency was and hands the answer on as a latency.Observation. It is the only
// package that talks to Prometheus.
//
// One dependency asks four kinds of question, each a PromQL expression that is
// assembled as a syntax tree and printed, never pasted together:
//
//   - scrapes: which form of the histogram exists (classic or native), how many
//     samples each series has in the window, and whether all series share one
//     bucket layout;
//   - buckets: the window and the one before it, each in up to 12 parts, by one
//     range query;
//   - quantiles: the server's own histogram_quantile, the figures on dashboards;
//   - error-ratio and observed-*: the expressions that the configuration gives.
//
// A fifth, names, is asked where no histogram answers: what goes by that name
// instead.
//
// It refuses to guess. An empty answer, a metric that is no histogram, buckets
// that fall, series with different bounds, HTML in place of JSON or a reply cut
// short each is an *Error with a kind and a sentence that says what to do; none
// of them becomes a zero. One dependency's failure leaves the others alone, every
// query has a deadline, every reply a largest size, and no message shows a
// credential.
package promquery
