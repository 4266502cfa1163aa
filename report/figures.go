package report

import (
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// FiguresDocument is every figure of one assessment.
type FiguresDocument struct {
	At                       time.Time               `json:"at"`
	WindowSeconds            *float64                `json:"window_seconds"`
	LimitSeconds             *float64                `json:"limit_seconds"`
	P50Seconds               *float64                `json:"p50_seconds"`
	P99Seconds               *float64                `json:"p99_seconds"`
	P99LowerBound            bool                    `json:"p99_lower_bound"`
	TimeoutP99Ratio          *float64                `json:"timeout_p99_ratio"`
	Band                     retry.Band              `json:"band"`
	Lognormal                *LognormalDocument      `json:"lognormal"`
	FalseTimeout             *EstimateDocument       `json:"false_timeout"`
	Method                   string                  `json:"method"`
	Readings                 []ReadingDocument       `json:"readings"`
	ObservedRatio            *float64                `json:"observed_false_timeout_ratio"`
	Recent                   *RecentDocument         `json:"recent"`
	Samples                  float64                 `json:"samples"`
	Dispersion               float64                 `json:"dispersion"`
	ErrorRatio               *float64                `json:"error_ratio"`
	CorrelationRatio         float64                 `json:"correlation_ratio"`
	CorrelationSource        string                  `json:"correlation_source"`
	Fallback                 *FallbackDocument       `json:"fallback"`
	Amplification            *EstimateDocument       `json:"amplification"`
	WorstCaseAttempts        int                     `json:"worst_case_attempts"`
	AttemptsPerSecond        *float64                `json:"attempts_per_second"`
	CallsPerSecond           *float64                `json:"calls_per_second"`
	CallDurationSeconds      *float64                `json:"expected_call_duration_seconds"`
	LongestCallSeconds       *float64                `json:"longest_call_seconds"`
	CallsInFlight            *float64                `json:"calls_in_flight"`
	TripPointRatio           *float64                `json:"trip_point_ratio"`
	UnknownOutcomesPerSecond *float64                `json:"unknown_outcomes_per_second"`
	Tradeoffs                []TradeoffDocument      `json:"tradeoffs"`
	Recommendation           *RecommendationDocument `json:"recommendation"`
	History                  *HistoryDocument        `json:"history"` // null: nothing is known of the past
	Measured                 []ComparisonDocument    `json:"measured"`
	Replicas                 []ReplicaDocument       `json:"replicas"`
}

// LognormalDocument is the lognormal through p50 and p99, of seconds.
type LognormalDocument struct {
	Mu    float64  `json:"mu"`
	Sigma float64  `json:"sigma"`
	Ratio *float64 `json:"false_timeout_ratio"`
}

// ReadingDocument is the false-timeout ratio under one assumption about what
// became of the attempts that were cut off.
type ReadingDocument struct {
	Timeouts     latency.Recording `json:"timeouts"`
	Ratio        float64           `json:"ratio"`
	Lower        float64           `json:"lower_ratio"`
	Upper        float64           `json:"upper_ratio"`
	Method       string            `json:"method"`
	Extrapolated bool              `json:"extrapolated"`
}

// RecentDocument is the false-timeout ratio of the last part of the window alone.
type RecentDocument struct {
	EstimateDocument
	Seconds float64 `json:"length_seconds"`
}

// FallbackDocument is the share of calls whose every attempt fails.
type FallbackDocument struct {
	EstimateDocument
	TimeoutRatio float64  `json:"timeout_ratio"`
	ErrorRatio   float64  `json:"error_ratio"`
	MixedRatio   float64  `json:"mixed_ratio"`
	PerDay       *float64 `json:"per_day"`
}

// ComparisonDocument is a figure as counters measured it beside the prediction.
type ComparisonDocument struct {
	What      string           `json:"what"`
	Measured  EstimateDocument `json:"measured"`
	Predicted EstimateDocument `json:"predicted"`
	Differs   bool             `json:"differs"`
}

// ReplicaDocument is one replica's false-timeout ratio beside the fleet's.
type ReplicaDocument struct {
	Name    string           `json:"name"`
	Ratio   EstimateDocument `json:"false_timeout"`
	Verdict latency.Verdict  `json:"verdict"`
}

// RecommendationDocument is the timeout that meets the target, the next step
// towards it, and the basis of both.
type RecommendationDocument struct {
	TimeoutSeconds *float64          `json:"timeout_seconds"`
	StepSeconds    *float64          `json:"step_seconds"`
	Why            string            `json:"why"`
	RoomSeconds    *float64          `json:"room_seconds"` // what callers afford; null where nothing limits it
	RoomBy         string            `json:"room_by"`
	Lever          string            `json:"lever"` // what to change where not even p99 fits
	Then           *TradeoffDocument `json:"then"`  // what the step would do
}

// TradeoffDocument is one timeout and what it would do.
type TradeoffDocument struct {
	TargetRatio         *float64 `json:"target_ratio"`
	TimeoutSeconds      float64  `json:"timeout_seconds"`
	FalseTimeoutRatio   float64  `json:"false_timeout_ratio"`
	FallbackRatio       *float64 `json:"fallback_ratio"`
	AmplificationRatio  *float64 `json:"amplification_ratio"`
	CallDurationSeconds *float64 `json:"expected_call_duration_seconds"`
}

func tradeoffDocument(t audit.Tradeoff) TradeoffDocument {
	return TradeoffDocument{whenPositive(t.TargetRatio), t.Timeout, t.FalseTimeout, t.Fallback, t.Amplification, t.CallDuration}
}

func figuresDocument(a *audit.Assessment) *FiguresDocument {
	document := FiguresDocument{
		At:                       a.At.UTC(),
		WindowSeconds:            whenPositive(a.Dependency.Window.Seconds()),
		LimitSeconds:             whenPositive(a.Limit),
		P50Seconds:               a.P50,
		P99Seconds:               a.P99,
		P99LowerBound:            a.P99LowerBound,
		TimeoutP99Ratio:          a.TimeoutP99Ratio,
		Band:                     a.Band,
		FalseTimeout:             estimateDocument(a.FalseTimeout),
		Readings:                 []ReadingDocument{},
		Measured:                 []ComparisonDocument{},
		Replicas:                 []ReplicaDocument{},
		ObservedRatio:            a.ObservedRatio,
		ErrorRatio:               a.ErrorRatio,
		CorrelationRatio:         a.Correlation.Value,
		CorrelationSource:        a.Correlation.Source,
		Amplification:            estimateDocument(a.Amplification),
		WorstCaseAttempts:        a.WorstCase,
		AttemptsPerSecond:        a.AttemptsPerSecond,
		CallsPerSecond:           a.CallsPerSecond,
		CallDurationSeconds:      a.CallDuration,
		LongestCallSeconds:       whenPositive(a.Effective.Longest),
		CallsInFlight:            a.CallsInFlight,
		TripPointRatio:           a.TripPoint,
		UnknownOutcomesPerSecond: a.UnknownOutcomesPerSecond,
		Tradeoffs:                []TradeoffDocument{},
		History:                  historyDocument(a.History),
	}
	if a.Lognormal != nil {
		document.Lognormal = &LognormalDocument{Mu: a.Lognormal.Mu, Sigma: a.Lognormal.Sigma, Ratio: a.LognormalRatio}
	}
	if a.Tail != nil {
		document.Method, document.Samples, document.Dispersion = a.Tail.Method, a.Tail.Samples, a.Tail.Dispersion
		for _, reading := range a.Tail.Readings {
			document.Readings = append(document.Readings, ReadingDocument{
				reading.Recording, reading.Point, reading.Lower, reading.Upper, reading.Method, reading.Extrapolated,
			})
		}
	}
	if f := a.Fallback; f != nil {
		document.Fallback = &FallbackDocument{*estimateDocument(&f.Ratio), f.Cause.Timeout, f.Cause.Error, f.Cause.Mixed, f.PerDay}
	}
	if r := a.Recently(); r != nil {
		document.Recent = &RecentDocument{*estimateDocument(&r.Estimate), r.Length.Seconds()}
	}
	document.measured(a)
	for _, t := range a.Curve() {
		document.Tradeoffs = append(document.Tradeoffs, tradeoffDocument(t))
	}
	if r := a.Recommendation; r != nil {
		document.Recommendation = &RecommendationDocument{TimeoutSeconds: r.Target, StepSeconds: r.Step, Why: r.Why, Lever: r.Lever}
		if r.Room != nil {
			document.Recommendation.RoomSeconds, document.Recommendation.RoomBy = &r.Room.Seconds, r.Room.By
		}
		if then := a.Then(); then != nil {
			document.Recommendation.Then = new(tradeoffDocument(*then))
		}
	}
	return &document
}

// measured fills in what counters and replicas say beside the prediction.
func (document *FiguresDocument) measured(a *audit.Assessment) {
	for _, c := range a.Comparisons {
		document.Measured = append(document.Measured, ComparisonDocument{
			c.What, *estimateDocument(&c.Measured), *estimateDocument(&c.Predicted), c.Differs(),
		})
	}
	for _, r := range a.Replicas {
		document.Replicas = append(document.Replicas, ReplicaDocument{r.Name, *estimateDocument(&r.Ratio), r.Verdict})
	}
}
