// Command dashboard writes the Grafana dashboard of timeout-auditor:
//
//	go -C tools/dashboard run . -output ../../deploy/grafana/timeout-auditor.json
//
// It builds it with Grafana's own foundation SDK and takes every metric's name
// from the product's table, so that a panel can not ask for a metric that does
// not exist. `make generate` runs it by way of package deploy/grafana, which
// embeds the result.
//
// Every panel says what it shows, in which unit, and what it means when there
// is nothing to show. The command refuses a panel without these, and a colour
// scale that would paint a missing value in the colour of a good one.
//
// It is a module of its own, because nobody who installs the product needs the
// SDK.
package main
