// Package web serves the daemon's HTTP endpoints: the status page, the report
// as JSON, the metrics, health, readiness and reload. It reads the current
// report and changes nothing. It refuses to reload or to profile unless the
// flags allow it.
package web
