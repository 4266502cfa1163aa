package report

import (
	"encoding/json"
	"io"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// BacktestsDocument is the JSON form of backtests. Figures that are not known
// are null.
type BacktestsDocument struct {
	Since        time.Time          `json:"since"`
	Until        time.Time          `json:"until"`
	StepSeconds  float64            `json:"step_seconds"`
	Dependencies []BacktestDocument `json:"dependencies"`
}

// BacktestDocument is one dependency's past.
type BacktestDocument struct {
	Dependency     string                  `json:"dependency"`
	Caller         string                  `json:"caller"`
	Callee         string                  `json:"callee"`
	Owner          string                  `json:"owner"`
	LimitSeconds   *float64                `json:"limit_seconds"`
	Declared       *TimeoutPastDocument    `json:"declared"` // null without a timeout
	Others         []TimeoutPastDocument   `json:"others"`
	History        *HistoryDocument        `json:"history"`
	Recommendation *RecommendationDocument `json:"recommendation"`
	Findings       []FindingDocument       `json:"findings"`
	Steps          []BacktestStepDocument  `json:"steps"`
}

// TimeoutPastDocument is what one timeout did or would have done.
type TimeoutPastDocument struct {
	TimeoutSeconds float64            `json:"timeout_seconds"`
	Cut            *PastShareDocument `json:"cut"`
	StepsAbove     int                `json:"steps_above"`
	StepsBelow     int                `json:"steps_below"`
	StepsUndecided int                `json:"steps_undecided"`
	StepsUnknown   int                `json:"steps_unknown"`
}

// PastShareDocument is a share of all attempts with its bracket; the ratio is
// null where some steps do not say.
type PastShareDocument struct {
	Ratio *float64 `json:"ratio"`
	Lower float64  `json:"lower_ratio"`
	Upper float64  `json:"upper_ratio"`
}

// BacktestStepDocument is one window of the past.
type BacktestStepDocument struct {
	Until         time.Time         `json:"until"`
	Status        latency.Status    `json:"status"`
	Reasons       []latency.Reason  `json:"reasons"`
	Detail        string            `json:"detail"`
	Samples       float64           `json:"samples"`
	P99Seconds    *float64          `json:"p99_seconds"`
	P99LowerBound bool              `json:"p99_lower_bound"`
	FalseTimeout  *EstimateDocument `json:"false_timeout"`
	Verdict       latency.Verdict   `json:"verdict"` // on whether more than 1% took longer
}

// WriteJSON writes the document, indented.
func (b *Backtests) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(b.Document())
}

// Document returns the JSON form.
func (b *Backtests) Document() BacktestsDocument {
	document := BacktestsDocument{
		Since: b.Since.UTC(), Until: b.Until.UTC(), StepSeconds: b.Step.Seconds(),
		Dependencies: make([]BacktestDocument, 0, len(b.Dependencies)),
	}
	for _, d := range b.Dependencies {
		document.Dependencies = append(document.Dependencies, d.document())
	}
	return document
}

func (d DependencyBacktest) document() BacktestDocument {
	document := BacktestDocument{
		Dependency: d.Dependency.Name, Caller: d.Dependency.Caller, Callee: d.Dependency.Callee, Owner: d.Dependency.Owner,
		LimitSeconds: whenPositive(d.Limit), Others: []TimeoutPastDocument{}, History: historyDocument(&d.History),
		Findings: findingDocuments(d.Findings), Steps: make([]BacktestStepDocument, 0, len(d.Steps)),
	}
	if d.Limit > 0 {
		declared := timeoutPastDocument(d.Declared)
		document.Declared = &declared
	}
	for _, p := range d.Others {
		document.Others = append(document.Others, timeoutPastDocument(p))
	}
	if r := d.Recommendation; r != nil {
		document.Recommendation = &RecommendationDocument{TimeoutSeconds: r.Target, StepSeconds: r.Step, Why: r.Why}
	}
	for _, s := range d.Steps {
		document.Steps = append(document.Steps, BacktestStepDocument{
			Until: s.At.UTC(), Status: s.Status, Reasons: append([]latency.Reason{}, s.Reasons...), Detail: s.Detail, Samples: s.Samples,
			P99Seconds: s.P99, P99LowerBound: s.P99LowerBound, FalseTimeout: estimateDocument(s.FalseTimeout), Verdict: s.Verdict,
		})
	}
	return document
}

func timeoutPastDocument(p audit.TimeoutPast) TimeoutPastDocument {
	document := TimeoutPastDocument{
		TimeoutSeconds: p.Timeout, StepsAbove: p.Above, StepsBelow: p.Below, StepsUndecided: p.Undecided, StepsUnknown: p.Unknown,
	}
	if p.Cut != nil {
		document.Cut = &PastShareDocument{p.Cut.Point, p.Cut.Lower, p.Cut.Upper}
	}
	return document
}
