// Package web serves the daemon's HTTP endpoints: the pages, the report as JSON,
// the metrics, health, readiness and reload. Pages are rendered here, from the
// current report, and work without scripts: the overview, a page for each
// dependency with its what-if, one for each chain, and the calculators.
//
// It reads the current report and changes nothing; what-ifs and calculators are
// GET requests that leave no trace. Figures are those of the report, written by
// package figure, so that a page and `audit --output json` never differ. Names
// and messages from outside are text wherever they stand.
//
// It refuses to reload or to profile unless the flags allow it, to load
// anything from another host, and to wait for Prometheus before it shows what it
// knows.
package web
