// Package report is the immutable snapshot of one audit cycle and its text and
// JSON forms. Whoever shows an audit (the command, the API, the metrics) reads
// a Report; nobody changes one after Build. A dependency that could not be
// observed keeps its last good assessment, marked with its age; it never
// replaces the present status.
package report
