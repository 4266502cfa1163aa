package retry

// In this file a cost that is not a number counts as more than any deadline,
// and a deadline that is not a number as none: the result says that it does
// not fit.

// ShareOptions divides a deadline equally among hops. Times are seconds.
type ShareOptions struct {
	Deadline float64
	Hops     int     // calls one after another
	Attempts int     // per hop
	Overhead float64 // per attempt: serialisation, queues, the network
	Backoff  float64 // between all attempts of one hop, in total
}

// AttemptShare returns the seconds that each attempt may take,
// (Deadline/Hops − Backoff)/Attempts − Overhead (docs/model.md §6). Zero or less
// means that the deadline does not hold the attempts.
func AttemptShare(o ShareOptions) float64 {
	hop := room(o.Deadline) / float64(max(o.Hops, 1))
	return (hop-cost(o.Backoff))/float64(max(o.Attempts, 1)) - cost(o.Overhead)
}

// Remaining is what is left of a deadline along calls made one after another,
// in seconds. Negative means that it is over.
type Remaining struct {
	Before []float64 // before each call
	After  float64   // after the last
}

// DeadlineRemaining returns what is left before each call when call j takes
// times[j] + overhead seconds: Deadline − Σ_{j<i}(time_j + overhead).
func DeadlineRemaining(deadline, overhead float64, times []float64) Remaining {
	r := Remaining{Before: make([]float64, len(times)), After: room(deadline)}
	for i, t := range times {
		r.Before[i] = r.After
		r.After -= cost(t) + cost(overhead)
	}
	return r
}

// HopCost is one call that a deadline has to hold.
type HopCost struct {
	P99      float64 // seconds
	Attempts int
	Backoff  float64 // seconds between all its attempts, in total
}

// NeedOptions describes calls of one caller. Each group of Calls runs in
// parallel, the groups one after another. Times are seconds.
type NeedOptions struct {
	Calls    [][]HopCost
	Overhead float64 // per attempt
	Edge     float64 // what the caller itself spends
	Factor   float64 // room per attempt in multiples of p99: 2 is comfortable, 1 the least
}

// BudgetNeeded returns the deadline that the calls need, in seconds:
// Σ attempts·(Factor·p99 + Overhead) + backoff, a parallel group counting its
// maximum, plus Edge (docs/model.md §6). Nested calls must not be added up this
// way, since a caller's latency contains its callee's: see NestedNeeded.
func BudgetNeeded(o NeedOptions) float64 {
	needed := cost(o.Edge)
	for _, group := range o.Calls {
		longest := 0.0
		for _, c := range group {
			n := float64(max(c.Attempts, 1))
			longest = max(longest, n*(cost(o.Factor)*cost(c.P99)+cost(o.Overhead))+cost(c.Backoff))
		}
		needed += longest
	}
	return needed
}

// NestedOptions describes a callee that calls another in turn. Times are
// seconds.
type NestedOptions struct {
	Own      float64 // the callee's own work
	Attempts int     // that the callee makes at the inner service
	Timeout  float64 // of each of them
	Overhead float64 // per attempt
	Backoff  float64 // between them, in total
}

// NestedNeeded returns the shortest timeout of the outer call that never gives
// up before the inner attempts are over: Own + Attempts·(Timeout + Overhead) +
// Backoff (docs/model.md §6). It need not hold where the deadline is propagated.
func NestedNeeded(o NestedOptions) float64 {
	return cost(o.Own) + float64(max(o.Attempts, 1))*(cost(o.Timeout)+cost(o.Overhead)) + cost(o.Backoff)
}
