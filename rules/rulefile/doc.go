// Package rulefile writes groups of rules: as the rule file that Prometheus,
// Thanos and Mimir load, or as the PrometheusRule object that the Prometheus
// Operator takes. It refuses a format that it does not know and an object name
// that Kubernetes would not take, and does not look into expressions.
package rulefile
