// Command timeout-auditor audits declared timeouts and retries against the
// latency that Prometheus knows. Each subcommand stands in a file of its own;
// the work is done by the packages beside cmd.
package main
