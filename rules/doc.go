// Package rules is the judgement: one table of rules, each with its code,
// severity and threshold, the function that judges an assessment by it, and the
// alert that pages for it. It also generates those alerts as a Prometheus rule
// file.
//
// It is pure. A rule that cannot be decided neither fires nor clears: what was
// found before is held, and what stays unknown for longer than hold_for becomes
// a finding of its own, verdict-unknown.
package rules

//go:generate go test . -run TestRuleFileInDeployIsTheGeneratedOne -update
