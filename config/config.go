package config

import (
	"time"

	promconfig "github.com/prometheus/common/config"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/robfig/cron/v3"
)

// Config is a validated configuration: defaults are filled in and merged into
// every dependency, all durations are positive or zero for "not set".
type Config struct {
	Prometheus     Prometheus
	Schedule       Schedule
	StaleAfter     time.Duration
	HoldFor        time.Duration
	History        time.Duration // how much of the past recommendations rest on; 0: none of it
	ExternalLabels map[string]string
	Alertmanagers  []Alertmanager // to push to; none: alerting rules do it
	Detail         bool           // metrics.detail
	Dependencies   []Dependency
	Templates      []Template
	Chains         []Chain
	Rules          map[string]Rule // by rule code; only what the file sets
}

// Prometheus says where the data comes from and how politely to ask for it.
type Prometheus struct {
	URL                  string
	ExternalURL          string // for links; URL where the file sets none
	QueryTimeout         time.Duration
	MaxConcurrentQueries int
	HTTPClient           promconfig.HTTPClientConfig
}

// Alertmanager is one server to push findings to.
type Alertmanager struct {
	URL        string // unique in a configuration
	Timeout    time.Duration
	HTTPClient promconfig.HTTPClientConfig
}

// Schedule is when cycles start. Spec is the text, Gap its longest gap.
type Schedule struct {
	Spec string
	cron.Schedule
	Gap time.Duration
}

// Dependency is one kind of call from a caller to a callee.
type Dependency struct {
	Name, Caller, Callee, Owner string

	Latency  Latency
	Connect  *Latency // of connecting, judged against Policy.ConnectTimeout; nil: none
	Policy   Policy
	Observed Observed

	Window                     time.Duration
	Correlation                Correlation
	TargetFalseTimeoutRatio    float64
	Headroom                   float64
	MaxStep                    float64
	ErrorRatio                 ErrorRatio
	ErrorRatioIncludesTimeouts bool

	Line int // in the file, of the dependency's first key

	// Entry is the name of the template that the dependency was made from, and
	// Series the labels it was found by; empty where the file declares it.
	Entry  string
	Series map[string]string
}

// Latency says what measures the dependency and how to read it: a histogram, a
// summary, or PromQL for single quantiles.
type Latency struct {
	Histogram    string // base name, without _bucket, or the summary's; empty with Quantiles
	Matchers     []*labels.Matcher
	Kind         string     // auto | classic | native | summary; auto with Quantiles
	UnitScale    float64    // seconds per unit: 1 or 0.001; auto is resolved from the name
	Scope        string     // attempt | call
	Timeouts     string     // auto | recorded | dropped | uncensored
	ReplicaLabel string     // tells replicas apart; empty: they are not, as without a histogram
	Quantiles    []Quantile // in place of a histogram: ascending, 0.5 and 0.99 among them
}

// Quantile is PromQL for one quantile of the latency, in the latency's unit.
type Quantile struct {
	P     float64 // 0.5 ≤ P < 1
	Query string
}

// Policy is what the dependency declares. Zero durations are not set.
type Policy struct {
	Timeout, ConnectTimeout, Deadline time.Duration
	DeadlinePropagated                bool
	Retries                           int
	RetryOnTimeout                    bool
	Backoff                           Backoff
	RetryBudget                       *float64 // retries ÷ calls; nil: none
	HedgeAfter                        time.Duration
	Idempotent                        *bool  // nil: not declared
	Fallback                          string // error | default | cache
	Layers                            []Layer

	// What a preset knows of the client or mesh, and no policy says.
	AttemptLimit   int    // most attempts that it makes; 0: no limit
	DefaultRetries int    // retries of errors that it makes where Retries is not set
	DefaultBy      string // who does
}

// Layer is one more place below the policy that retries: each of its attempts
// is one attempt of the layer above.
type Layer struct {
	Name     string
	Attempts int
	Timeout  time.Duration // of each of its attempts; 0: none
}

// Backoff is the wait before retry k: min(Initial·Multiplier^(k−1), Max), or a
// uniform draw between 0 and that under full jitter.
type Backoff struct {
	Initial, Max time.Duration
	Multiplier   float64
	Jitter       string // none | full
}

// Correlation is the share of calls whose attempts share one fate: a number
// from 0 to 1, or found from data.
type Correlation struct {
	Auto  bool
	Value float64 // the fallback under Auto
}

// ErrorRatio is a number or a PromQL query; Query is empty for a number.
type ErrorRatio struct {
	Value float64
	Query string
}

// Observed holds PromQL expressions for the rates (per second) of what really
// happened; empty where not configured.
type Observed struct {
	Attempts, Timeouts, Retries, Calls, Fallbacks string
}

// Rule overrides one rule's defaults; nil and empty keep them.
type Rule struct {
	Severity  string // critical | warning | info | off
	Threshold *float64
	For       *time.Duration
}
