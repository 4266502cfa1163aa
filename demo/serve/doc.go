// Command serve runs the demo's callers and callees alone, for a Prometheus
// elsewhere to scrape, such as that of deploy/compose:
//
//	go run ./demo/serve --config.file=deploy/compose/config.yaml --web.listen-address=:8000
//
// The services stay on loopback. One address serves all of their metrics, each
// at /metrics/NAME, and at /targets the list of them as Prometheus's HTTP
// service discovery reads it, with the service's name as the job.
//
// It refuses a configuration that lacks a dependency which the workload calls,
// and wrong usage, with exit code 2. It ends with 0 on SIGTERM or Ctrl-C, and
// with 1 when serving fails.
package main
