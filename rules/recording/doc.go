// Package recording writes the baseline model as recording rules: the lognormal
// through p50 and p99, its tail beyond the timeout, and what follows for
// fallbacks and attempts (docs/model.md §1 and §5). They are plain PromQL, so a
// Prometheus, Thanos or Mimir ruler evaluates them without an auditor.
//
// What the auditor learns from counts is not in them: no brackets, no held
// verdicts, no correction for what histograms hide. A figure that the rules
// cannot know is absent, and a series with the reason stands in its place.
package recording
