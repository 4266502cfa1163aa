// Package metrics turns the current report into Prometheus metrics: one
// collector over an immutable snapshot, so that what leaves the report vanishes
// from the exposition by itself. It withholds figures older than stale_after;
// findings that are held stay. A handler writes the same as text, without holding
// it in memory first. It refuses other formats than text: every scraper takes it.
package metrics
