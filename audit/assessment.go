package audit

import (
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// Input is one dependency and what this cycle learned of it.
type Input struct {
	Dependency  *config.Dependency
	At          time.Time // the moment the cycle asks about
	Observation latency.Observation
	Failure     *Failure // set when there is no observation
	Connect     *Input   // what was learned of connecting; nil without a connect histogram
	History     *History // of the same dependency; nil: nothing is known of its past
}

// Failure says why a dependency could not be observed.
type Failure struct {
	Status  latency.Status // no-data or query-failed
	Reason  latency.Reason // empty where none applies
	Message string         // for a person: what failed and what to do
	Queries []latency.Query
}

// Estimate is a figure with the bounds that the counts allow: Lower and Upper
// are the hard bracket carried through, 0.5% outside on each side.
type Estimate struct {
	Point, Lower, Upper float64
}

// Assessment is the judgement material for one dependency. Pointers are nil
// where the observation does not support the figure. Times are seconds.
type Assessment struct {
	Dependency *config.Dependency // shared: it is not to be changed
	At         time.Time

	Status  latency.Status
	Reasons []latency.Reason
	Detail  string          // a sentence: what the status means here, empty when ok
	Queries []latency.Query // what was asked, failed or not

	Observation latency.Observation // zero when nothing was observed

	Entry *Entry // set where this is no dependency but a template that has a problem

	Policy    retry.Policy    // as declared, in seconds
	Effective retry.Effective // as it takes effect

	// Limit is the timeout that latency is judged against: the effective
	// per-attempt timeout, or the deadline when the histogram measures whole
	// calls. 0: there is none.
	Limit float64

	Tail           *latency.Tail // nil when nothing was observed
	P50, P99       *float64      // as histogram_quantile has them
	P99LowerBound  bool          // p99 lies beyond the highest finite bound
	Lognormal      *latency.Lognormal
	LognormalRatio *float64 // P(X > Limit) by the two-quantile lognormal

	FalseTimeout  *Estimate // P(X > Limit), per attempt, or per call for call histograms
	ObservedRatio *float64  // timeouts ÷ attempts as counted

	ErrorRatio        *float64 // failures other than timeouts ÷ attempts; nil when its query has no answer
	Correlation       Correlation
	Fallback          *FallbackEstimate
	Amplification     *Estimate
	WorstCase         int // attempts per call when everything fails, hedges included
	AttemptsPerSecond *float64
	CallsPerSecond    *float64

	CallDuration             *float64 // expected seconds, all attempts and backoff included
	CallsInFlight            *float64 // CallDuration × CallsPerSecond: threads or connections held
	TripPoint                *float64 // by which factor latency may grow before retries tip
	UnknownOutcomesPerSecond *float64 // attempts cut off: a write among them may have been applied

	TimeoutP99Ratio *float64 // Limit ÷ p99
	Band            retry.Band

	Connect *Assessment // of connecting, with the connect timeout as its Limit

	History        *History // nil: nothing is known of the past
	Recommendation *Recommendation
	Comparisons    []Comparison // measured beside predicted, where counters are configured
	Replicas       []Replica    // slowest first, where latency.replica_label is set

	later later
}

// FallbackEstimate is the share of calls whose every attempt fails.
type FallbackEstimate struct {
	Ratio  Estimate       // total
	Cause  retry.Fallback // the point estimate by cause
	PerDay *float64       // calls a day; nil when the call rate is unknown
}

// ForgetBefore lets go of the counts of the window before, which a verdict may
// need and nothing that is shown does: they are a sixth of what an assessment
// holds. What the readings say of that window stays.
func (a *Assessment) ForgetBefore() {
	a.Observation.Before = latency.Window{}
	if a.Connect != nil {
		a.Connect.ForgetBefore()
	}
}

// Known reports whether an observation stands behind the assessment.
func (a *Assessment) Known() bool { return a.Status.Known() }

// Judgeable reports whether rules about data can be asked at all: something was
// observed and does not contradict itself.
func (a *Assessment) Judgeable() bool { return a.Known() && (a.Tail == nil || !a.Tail.Blocked) }

// Notes is what was taken into account and is no finding: how the timeout reads
// in the data, and what the server said about its own answers.
func (a *Assessment) Notes() []string {
	var notes []string
	if a.Tail != nil {
		notes = append(notes, a.Tail.Notes...)
	}
	notes = append(notes, a.Observation.Notes...)
	for _, note := range []string{a.recentNote(), a.recentP99()} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}
