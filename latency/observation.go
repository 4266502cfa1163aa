package latency

import (
	"fmt"
	"time"
)

// Observation is what a metrics server said about one dependency at one
// moment. All times are seconds, all counts are calls of the histogram's scope.
type Observation struct {
	At     time.Time     // the end of the window
	Window time.Duration // its length

	// Now is the window and Before the one of equal length that ends where it
	// begins. Before has no parts where the server has no data that old.
	Now, Before Window

	// P50 and P99 are histogram_quantile over the window, the figures that people
	// see on their dashboards: as the server answered, or as it would over the
	// classic buckets that it answered with. Nil: there are none (NaN).
	P50, P99 *float64

	// ErrorRatio is attempts that failed otherwise than by timeout ÷ attempts,
	// as the configured query answered. Nil: not queried or no answer.
	ErrorRatio *float64

	// Observed holds what the configured counters counted over the window, and
	// ObservedBefore over the window before; only attempts and timeouts there.
	Observed, ObservedBefore Counters

	// Replicas is the window by replica, where a replica label is configured:
	// ascending by name, and only the busiest where there are very many.
	Replicas []Replica

	// QuantilesOnly says that nothing but quantiles was asked for: there are no
	// counts, and Quantiles holds all that were answered, ascending.
	QuantilesOnly bool
	Quantiles     []QuantilePoint

	// Queries are PromQL expressions to be asked by hand, by purpose: those whose
	// answers the figures are from.
	Queries []Query

	// Notes are for a person: the server's warnings and infos, and what was
	// noticed about the data while reading them.
	Notes []string
}

// Window is one histogram, and its consecutive parts of equal length, oldest
// first.
type Window struct {
	Parts []Histogram

	// Whole is the window by a query of its own, with every bin. Parts then have
	// fewer bins, those that BoundsNeeded names, and show how counts vary. Without
	// bins here the window is the sum of its parts.
	Whole Histogram

	// Scrapes is the number of samples per series in one part (m of
	// docs/model.md §2): low among the series that lived through the window.
	Scrapes float64
}

// Replica is what one replica counted over the whole window.
type Replica struct {
	Name      string // value of the replica label; empty for series without it
	Histogram Histogram
	Scrapes   float64 // samples per series in the window
}

// Counters are counts over the window (rate × length); nil where the counter
// is not configured or has no data.
type Counters struct {
	Attempts, Timeouts, Retries, Calls, Fallbacks *float64
}

// Query is one PromQL expression, what it was asked for, and for which time.
// A query with a Step is a range query from Start to End. One without is an
// instant query: at End, or at the observation's At where End is zero.
type Query struct {
	Purpose string // "quantiles", "buckets", "scrapes", "error-ratio", "observed-timeouts", …

	// PromQL gives the expression in words when they are asked for: thousands of
	// dependencies have several each, and hardly any is ever read. Nil: none.
	PromQL fmt.Stringer

	Start, End time.Time
	Step       time.Duration
}

// Words is PromQL that is written down.
type Words string

func (w Words) String() string { return string(w) }

// Text returns the PromQL in words.
func (q Query) Text() string {
	if q.PromQL == nil {
		return ""
	}
	return q.PromQL.String()
}
