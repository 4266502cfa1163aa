package agent

import (
	"context"
	"errors"

	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/agent/web/chart"
	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// seriesObserver asks a metrics server how series went over time. promquery.Client is
// the real one.
type seriesObserver interface {
	Series(ctx context.Context, q promquery.SeriesQuestion) (promquery.SeriesAnswer, error)
}

// errNoHistory says that the observer in force knows only the present.
var errNoHistory = errors.New("what is observed has no history")

// History asks the metrics server in force what it has scraped from this
// auditor, or from another one of the same dependency.
func (a *Agent) History(ctx context.Context, q web.HistoryQuestion) (web.History, error) {
	observer, ok := a.current.Load().observer.(seriesObserver)
	if !ok {
		return web.History{}, errNoHistory
	}
	answer, err := observer.Series(ctx, promquery.SeriesQuestion{
		Names: []string{
			metric.LatencyP99, metric.PolicyTimeout, metric.PredictedFalseTimeoutRatio,
			metric.FalseTimeoutRatioLower, metric.FalseTimeoutRatioUpper,
		},
		Label: "dependency", Value: q.Dependency, Start: q.Start, End: q.End, Step: q.Step,
	})
	samples := func(name string) []chart.Sample {
		var all []chart.Sample
		for _, sample := range answer.Samples[name] {
			all = append(all, chart.Sample(sample))
		}
		return all
	}
	return web.History{
		P99: samples(metric.LatencyP99), Timeout: samples(metric.PolicyTimeout),
		Ratio: samples(metric.PredictedFalseTimeoutRatio), Lower: samples(metric.FalseTimeoutRatioLower), Upper: samples(metric.FalseTimeoutRatioUpper),
		Query: answer.Query,
	}, err
}
