// Package metric is the one table of the metrics that timeout-auditor exports:
// names, help texts and labels. The collector, the alerting rules and the
// documentation read it, so that a name cannot drift between them. It refuses
// nothing and computes nothing.
package metric
