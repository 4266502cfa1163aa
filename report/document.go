package report

import (
	"encoding/json"
	"io"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// Document is the JSON form of a report: what `audit --output json` prints and
// /api/v1/report serves. Figures that are not known are null.
type Document struct {
	At              time.Time            `json:"at"`
	DurationSeconds float64              `json:"duration_seconds"`
	Result          Result               `json:"result"`
	Dependencies    []DependencyDocument `json:"dependencies"`
	Chains          []ChainDocument      `json:"chains"`
}

// DependencyDocument is one dependency. Everything under figures is from the
// cycle at figures.at, which is older than the report when stale is true.
type DependencyDocument struct {
	Dependency string            `json:"dependency"`
	Caller     string            `json:"caller"`
	Callee     string            `json:"callee"`
	Owner      string            `json:"owner"`
	Status     latency.Status    `json:"status"`
	Reasons    []latency.Reason  `json:"reasons"`
	Detail     string            `json:"detail"`
	Stale      bool              `json:"stale"`
	Policy     PolicyDocument    `json:"policy"`
	Figures    *FiguresDocument  `json:"figures"`
	Findings   []FindingDocument `json:"findings"`
	Notes      []string          `json:"notes"`
	Queries    []QueryDocument   `json:"queries"`
}

// PolicyDocument is the declared policy and what becomes of it.
type PolicyDocument struct {
	TimeoutSeconds           *float64             `json:"timeout_seconds"`
	DeadlineSeconds          *float64             `json:"deadline_seconds"`
	Retries                  int                  `json:"retries"`
	RetryOnTimeout           bool                 `json:"retry_on_timeout"`
	EffectiveAttempts        int                  `json:"effective_attempts"`
	EffectiveTimeoutsSeconds []float64            `json:"effective_timeouts_seconds"`
	Differences              []DifferenceDocument `json:"differences"`
}

// DifferenceDocument is one way in which the effective policy is not the
// declared one.
type DifferenceDocument struct {
	Code      string `json:"code"`
	What      string `json:"what"`
	Declared  string `json:"declared"`
	Effective string `json:"effective"`
	Why       string `json:"why"`
}

// EstimateDocument is a figure with its hard bracket.
type EstimateDocument struct {
	Ratio float64 `json:"ratio"`
	Lower float64 `json:"lower_ratio"`
	Upper float64 `json:"upper_ratio"`
}

// FindingDocument is one rule that holds.
type FindingDocument struct {
	Rule     string         `json:"rule"`
	Severity rules.Severity `json:"severity"`
	Since    time.Time      `json:"since"`
	Decided  time.Time      `json:"decided"`
	Held     rules.Hold     `json:"held"`
	Message  string         `json:"message"`
	Advice   string         `json:"advice"`
}

// QueryDocument is one expression that was sent. One with step_seconds is a
// range query; one without is an instant query: at end, or else at the report's at.
type QueryDocument struct {
	Purpose     string    `json:"purpose"`
	PromQL      string    `json:"promql"`
	Start       time.Time `json:"start,omitzero"`
	End         time.Time `json:"end,omitzero"`
	StepSeconds float64   `json:"step_seconds,omitzero"`
}

// WriteJSON writes the report's Document, indented.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r.Document())
}

// Document returns the JSON form of the report.
func (r *Report) Document() Document {
	document := Document{
		At:              r.At.UTC(),
		DurationSeconds: r.Duration.Seconds(),
		Result:          r.Result(),
		Dependencies:    make([]DependencyDocument, 0, len(r.Dependencies)),
		Chains:          make([]ChainDocument, 0, len(r.Chains)),
	}
	for _, d := range r.Dependencies {
		document.Dependencies = append(document.Dependencies, r.dependencyDocument(d))
	}
	for _, c := range r.Chains {
		document.Chains = append(document.Chains, chainDocument(c))
	}
	return document
}

func (r *Report) dependencyDocument(d Dependency) DependencyDocument {
	document := DependencyDocument{
		Dependency: d.Dependency.Name,
		Caller:     d.Dependency.Caller,
		Callee:     d.Dependency.Callee,
		Owner:      d.Dependency.Owner,
		Status:     d.Status,
		Reasons:    append([]latency.Reason{}, d.Reasons...),
		Detail:     d.Detail,
		Policy:     policyDocument(d.Policy, d.Effective),
		Findings:   findingDocuments(d.Findings),
		Notes:      append([]string{}, d.Assessment.Notes()...),
		Queries:    make([]QueryDocument, 0, len(d.Queries)),
	}
	if figures := r.Figures(d, r.At); figures != nil {
		document.Stale = !d.Known()
		document.Figures = figuresDocument(figures)
	}
	for _, q := range d.Queries {
		document.Queries = append(document.Queries, QueryDocument{
			Purpose: q.Purpose, PromQL: q.Text(),
			Start: q.Start.UTC(), End: q.End.UTC(), StepSeconds: q.Step.Seconds(),
		})
	}
	return document
}

func policyDocument(declared retry.Policy, effective retry.Effective) PolicyDocument {
	document := PolicyDocument{
		TimeoutSeconds:           whenPositive(declared.Timeout),
		DeadlineSeconds:          whenPositive(declared.Deadline),
		Retries:                  declared.Retries,
		RetryOnTimeout:           declared.RetryOnTimeout,
		EffectiveAttempts:        effective.Attempts,
		EffectiveTimeoutsSeconds: append([]float64{}, effective.Timeouts...),
		Differences:              []DifferenceDocument{},
	}
	for _, d := range effective.Differences {
		document.Differences = append(document.Differences, DifferenceDocument{d.Code, d.What, d.Declared, d.Effective, d.Why})
	}
	return document
}

func estimateDocument(e *audit.Estimate) *EstimateDocument {
	if e == nil {
		return nil
	}
	return &EstimateDocument{Ratio: e.Point, Lower: e.Lower, Upper: e.Upper}
}

func whenPositive(v float64) *float64 {
	if v <= 0 {
		return nil
	}
	return &v
}
