package retry

import (
	"errors"
	"fmt"
)

// GRPCAttemptLimit is the most attempts a gRPC client makes, whatever its
// service config says.
//
// Source: gRFC A6, "gRPC Retry Design": maxAttempts above 5 is treated as 5.
const GRPCAttemptLimit = 5

// Policy is what a caller declares for calls to one dependency. Times are
// seconds; 0 means not set.
type Policy struct {
	Timeout        float64 // per attempt
	Deadline       float64 // whole call: all attempts and the backoff between them
	Retries        int     // attempts after the first
	RetryOnTimeout bool    // false: only errors are retried
	Backoff        Backoff
	Budget         *float64 // retries ÷ calls; nil: no budget
	HedgeAfter     float64  // a second attempt is sent when the first is this old
	AttemptLimit   int      // what the client library allows at most; 0: no limit
	Layers         []Layer  // below the policy, outer to inner

	// DefaultRetries is how many retries of errors a client or mesh adds where the
	// policy declares none, and DefaultBy who does that.
	DefaultRetries int
	DefaultBy      string
}

// Validate says everything that is wrong with p.
func (p Policy) Validate() error {
	err := errors.Join(
		validSeconds("timeout", p.Timeout),
		validSeconds("deadline", p.Deadline),
		validSeconds("hedge after", p.HedgeAfter),
		p.Backoff.Validate(),
	)
	if p.Retries < 0 || p.Retries >= MaxAttempts {
		err = errors.Join(err, fmt.Errorf("retries must be between 0 and %d, got %d", MaxAttempts-1, p.Retries))
	}
	if p.AttemptLimit < 0 {
		err = errors.Join(err, fmt.Errorf("attempt limit must be 0 (none) or more, got %d", p.AttemptLimit))
	}
	if p.Budget != nil && !(*p.Budget >= 0) {
		err = errors.Join(err, fmt.Errorf("retry budget must be 0 or more, got %v", *p.Budget))
	}
	for _, layer := range p.Layers {
		if layer.Attempts < 1 || layer.Attempts > MaxAttempts {
			err = errors.Join(err, fmt.Errorf("attempts of layer %q must be between 1 and %d, got %d", layer.Name, MaxAttempts, layer.Attempts))
		}
		err = errors.Join(err, validSeconds(fmt.Sprintf("timeout of layer %q", layer.Name), layer.Timeout))
	}
	return err
}

// declared returns p with every value in its range.
func (p Policy) declared() Policy {
	p.Timeout, p.Deadline, p.HedgeAfter = seconds(p.Timeout), seconds(p.Deadline), seconds(p.HedgeAfter)
	p.Retries = attempts(min(max(p.Retries, 0), MaxAttempts)+1) - 1
	p.DefaultRetries = attempts(min(max(p.DefaultRetries, 0), MaxAttempts)+1) - 1
	return p
}
