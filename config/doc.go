// Package config turns a configuration file into a validated [Config].
//
// [Parse] is pure: the same bytes give the same answer, whether a check, a
// reload or a test asks. It reports every problem in the file at once, each
// with its line, the path of the key, the value and what would be right:
//
//	config.yaml:42: dependencies[2].policy.timeout: must be above 0, got -1s
//
// One table of keys says what a file may hold. The decoder reads it, built-in
// defaults are written in it, and docs/configuration.md is checked against it.
//
// The package refuses what it does not know: unknown and repeated keys, a
// second document, numbers that are not plain decimals, durations without a
// unit, PromQL that does not parse or that reads a bare counter, schedules
// that never fire. It never prints a secret, neither in a problem nor when a
// Config is formatted. It does not ask Prometheus anything.
package config
