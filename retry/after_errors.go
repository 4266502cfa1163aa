package retry

import "slices"

// AfterErrors returns what Timeouts becomes when errors use up time as well:
// row j−1 holds, in seconds, the timeouts in force after j errors, each of which
// took errorSeconds, and 0, 1, 2, … timeouts. A row without entries is a call
// that the deadline has ended. Nil: nothing changes, since there is no deadline
// that errors could bring nearer.
//
// derivation: with Timeouts' own sum, attempt k+1 after j errors and t = k − j
// timeouts has min(Timeout, Deadline − Σ_{i<=t} timeout_i − j·errorSeconds −
// Σ_{i<=k} mean backoff_i) left.
func (e Effective) AfterErrors(errorSeconds float64) [][]float64 {
	spent := seconds(errorSeconds)
	if e.Deadline == 0 || spent == 0 || e.WorstCase < 2 {
		return nil
	}
	rows := make([][]float64, e.WorstCase-1)
	changed := false
	for j := range rows {
		rows[j] = e.afterErrors(j+1, float64(j+1)*spent)
		changed = changed || !slices.Equal(rows[j], e.Timeouts[:min(len(e.Timeouts), e.follow(j+1))])
	}
	if !changed {
		return nil
	}
	return rows
}

// follow is how many attempts can follow so many errors when each times out.
func (e Effective) follow(errors int) int {
	if !e.RetryOnTimeout {
		return 1
	}
	return e.WorstCase - errors
}

func (e Effective) afterErrors(errors int, used float64) []float64 {
	for k := 1; k <= errors; k++ {
		used += e.Backoff.Mean(k)
	}
	var row []float64
	for k := errors; k < errors+e.follow(errors); k++ {
		left := e.Deadline - used
		if left <= e.Deadline*slack {
			break
		}
		timeout := e.Timeouts[0]
		if left < timeout*(1-slack) {
			timeout = left
		}
		row = append(row, timeout)
		used += timeout + e.Backoff.Mean(k+1)
	}
	return row
}
