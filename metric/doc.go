// Package metric is the one table of the metrics that timeout-auditor exports:
// names, help texts and labels, and of what rules record of them. The
// collector, the rules, the dashboard and the documentation read it, so that a
// name cannot drift between them. It refuses nothing and computes nothing.
package metric
