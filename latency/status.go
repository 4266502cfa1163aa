package latency

// Status says how far a figure can be trusted. A figure that cannot be given
// is a status, never a NaN or a zero.
type Status string

const (
	StatusOK          Status = "ok"           // the data decide the verdict
	StatusUncertain   Status = "uncertain"    // the data are sound and do not decide it
	StatusThinData    Status = "thin-data"    // too few calls or scrapes to decide anything
	StatusNoData      Status = "no-data"      // the query was answered, with nothing in it
	StatusQueryFailed Status = "query-failed" // the query was not answered
)

// Statuses lists every status, in the order in which they get worse.
func Statuses() []Status {
	return []Status{StatusOK, StatusUncertain, StatusThinData, StatusNoData, StatusQueryFailed}
}

// Known reports whether an observation stands behind the status.
func (s Status) Known() bool { return s != StatusNoData && s != StatusQueryFailed }

// Reason says what in the data limits a figure.
type Reason string

const (
	ReasonTopBucket       Reason = "top-bucket"       // the quantile lies beyond the highest finite bound
	ReasonFirstBucket     Reason = "first-bucket"     // nearly all mass lies in the first bucket
	ReasonUnitMismatch    Reason = "unit-mismatch"    // sum/count contradicts the buckets
	ReasonMixedBuckets    Reason = "mixed-buckets"    // series with different bounds were added up
	ReasonNonMonotonic    Reason = "non-monotonic"    // cumulative counts fall
	ReasonCensored        Reason = "censored"         // the caller's own timeout may have bent the histogram
	ReasonBursty          Reason = "bursty"           // counts vary over four times more than independent calls would
	ReasonCallScope       Reason = "call-scope"       // whole calls were measured, not attempts
	ReasonQuantilesOnly   Reason = "quantiles-only"   // two quantiles and no counts
	ReasonNoHistogram     Reason = "no-histogram"     // the metric is not a histogram
	ReasonNotARate        Reason = "not-a-rate"       // a query reads counters without rate or increase
	ReasonPartialResponse Reason = "partial-response" // the server said that data is missing
)
