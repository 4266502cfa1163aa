package latency

import "time"

// Observation is what a metrics server said about one dependency at one
// moment. All times are seconds, all counts are calls of the histogram's scope.
type Observation struct {
	At     time.Time     // the end of the window
	Window time.Duration // its length

	// Now is the window and Before the one of equal length that ends where it
	// begins. Before has no parts where the server has no data that old.
	Now, Before Window

	// P50 and P99 are the server's own histogram_quantile over the window, the
	// figures that people see on their dashboards. Nil: the server gave none
	// (NaN included).
	P50, P99 *float64

	// ErrorRatio is attempts that failed otherwise than by timeout ÷ attempts,
	// as the configured query answered. Nil: not queried or no answer.
	ErrorRatio *float64

	// Observed holds what the configured counters counted over the window.
	Observed Counters

	// Queries are the PromQL expressions that were sent, by purpose.
	Queries []Query

	// Notes are the server's warnings and infos, verbatim.
	Notes []string
}

// Window is one histogram in consecutive parts of equal length, oldest first.
type Window struct {
	Parts []Histogram

	// Scrapes is the number of samples per series in one part (m in model §2),
	// the smallest over the series that have at least two.
	Scrapes float64
}

// Counters are counts over the window (rate × length); nil where the counter
// is not configured or has no data.
type Counters struct {
	Attempts, Timeouts, Retries, Calls, Fallbacks *float64
}

// Query is one PromQL expression and what it was asked for.
type Query struct {
	Purpose string // "quantiles", "buckets", "scrapes", "error-ratio", "observed-timeouts", …
	PromQL  string
}
