// Package exposition reads a histogram from what a process exposes at /metrics,
// saved in a file: the Prometheus text format, OpenMetrics text, or length-
// delimited protobuf, which alone carries native histograms. Read takes the
// whole exposition in, Observe adds up the selected series of one histogram and
// hands them on as a latency.Observation, just as a metrics server's answer is.
//
// An exposition counts since its process started and is read once. So the
// window is unknown, there is one part and no dispersion, no rate per second
// follows, and nothing was extrapolated: the counts are honest as they stand.
// Notes on the observation say so.
//
// Text is read line by line here, so that every complaint can name its line and
// a file that went through grep is read as well: neither TYPE lines nor # EOF
// are needed. Protobuf is decoded by prometheus/common.
//
// # What it refuses
//
// Every refusal is an *Error with the file, the line where there is one, the
// metric, and what would be right: files that are no exposition (a web page, a
// compressed file, a history of many moments), buckets that fall, repeat or
// lack +Inf, counts that no count can have, series with different bounds,
// metrics that are no histogram, gauge histograms, and a histogram that has
// counted nothing yet. It reads at most 64 MiB.
package exposition
