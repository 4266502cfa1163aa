package report

import (
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/figure"
)

// HistoryDocument is what the past says about the timeout that is needed.
type HistoryDocument struct {
	Since           time.Time      `json:"since"`
	Until           time.Time      `json:"until"`
	StepSeconds     float64        `json:"step_seconds"`
	Steps           int            `json:"steps"`             // with calls
	StepsWithEnough int            `json:"steps_with_enough"` // with the calls that a quantile is read from
	StepsBent       int            `json:"steps_bent"`        // in which the timeout itself cut more than the target
	Samples         float64        `json:"samples"`
	QuantileSeconds *float64       `json:"quantile_seconds"` // of all steps, for the target ratio
	LowerBound      bool           `json:"quantile_lower_bound"`
	Worst           *WorstDocument `json:"worst_step"`
	P99LowSeconds   *float64       `json:"p99_low_seconds"`
	P99HighSeconds  *float64       `json:"p99_high_seconds"`
}

// WorstDocument is the step whose quantile, for the target ratio, is the largest
// beyond chance, with the time that it exceeds at 99.9%.
type WorstDocument struct {
	Until        time.Time `json:"until"`
	LowerSeconds float64   `json:"quantile_lower_seconds"`
}

func historyDocument(h *audit.History) *HistoryDocument {
	if h == nil || h.Since.IsZero() {
		return nil
	}
	document := HistoryDocument{
		Since: h.Since.UTC(), Until: h.Until.UTC(), StepSeconds: h.Step.Seconds(),
		Steps: h.Steps, StepsWithEnough: h.Enough, StepsBent: h.Bent, Samples: h.Samples,
		QuantileSeconds: h.Quantile, LowerBound: h.Unbounded,
		P99LowSeconds: whenPositive(h.P99Low), P99HighSeconds: whenPositive(h.P99High),
	}
	if h.Worst != nil {
		document.Worst = &WorstDocument{h.Worst.At.UTC(), h.Worst.Seconds}
	}
	return &document
}

// past says what the recommendation takes from the past.
func (e *explanation) past() {
	h := e.History
	target := e.Assessment.Dependency.TargetFalseTimeoutRatio
	e.formula("from %s to %s: %s calls in %d windows of %s, whose p99 was %s to %s", h.Since.UTC().Format(time.RFC3339), h.Until.UTC().Format(time.RFC3339),
		figure.Count(h.Samples), h.Steps, h.Step, figure.Seconds(h.P99Low), figure.Seconds(h.P99High))
	if h.Quantile != nil {
		e.formula("pooled %s quantile = %s s", digits(1-target), digits(*h.Quantile))
	}
	if h.Worst == nil {
		e.formula("worst window: none has the %s calls that this quantile is read from", figure.Count(10/target))
		return
	}
	e.formula("worst of %d windows with %s calls or more ends at %s: its %s quantile exceeds %s s at 99.9%%", h.Enough, figure.Count(10/target),
		h.Worst.At.UTC().Format(time.RFC3339), digits(1-target), digits(h.Worst.Seconds))
}
