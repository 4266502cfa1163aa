package promquery

import (
	"context"
	"fmt"
	"slices"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

const purposeMetadata = "metadata"

// level reports an expression that reads the level of a metric that is a counter
// by its type, whatever it is called; nil where it reads none, or the server
// does not know.
func (d diagnosis) level(ctx context.Context, a asked) *CheckProblem {
	for _, name := range config.BareReadings(a.expr) {
		if t := d.typeOf(ctx, name); t != "" {
			return &CheckProblem{
				Key: a.key,
				Message: fmt.Sprintf("%s: %s is a %s by its metadata and only grows, so its level says nothing about the window; read rate(%s[$window])",
					latency.ReasonNotARate, name, t, name),
			}
		}
	}
	return nil
}

// typeOf returns the type of a metric whose value only grows, or "". Where
// targets differ about the type, or the server has no metadata, nothing is sure.
func (d diagnosis) typeOf(ctx context.Context, name string) v1.MetricType {
	q := latency.Query{Purpose: purposeMetadata, PromQL: series(name)}
	var known map[string][]v1.Metadata
	err := d.client.sender.exchange(ctx, q, func(ctx context.Context) error {
		found, err := d.client.sender.api.Metadata(ctx, name, "")
		known = found
		return err
	})
	of := known[name]
	if err != nil || len(of) == 0 {
		return ""
	}
	grows := func(m v1.Metadata) bool { return m.Type == v1.MetricTypeCounter || m.Type == v1.MetricTypeHistogram }
	if slices.ContainsFunc(of, func(m v1.Metadata) bool { return !grows(m) }) {
		return ""
	}
	return of[0].Type
}
