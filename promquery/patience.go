package promquery

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

const (
	mostTries  = 3
	firstWait  = 250 * time.Millisecond
	waitGrowth = 4
)

// patiently makes a request again where the server says that it is only busy:
// 429, or 503 of a proxy or of a server that starts. It waits as long as the
// server asks for, or longer each time, and never beyond what is left for the
// cycle.
func (s *sender) patiently(ctx context.Context, q latency.Query, request func(context.Context) error) *Error {
	wait := firstWait
	for try := 1; ; try++ {
		err := s.exchange(ctx, q, request)
		if err == nil || !err.busy() || try == mostTries {
			return err
		}
		pause := max(err.retryAfter, wait/2+rand.N(wait/2))
		wait *= waitGrowth
		if deadline, bounded := ctx.Deadline(); pause > s.timeout || bounded && time.Until(deadline) < pause {
			return err
		}
		again := time.NewTimer(pause)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return err
		}
	}
}

// busy reports whether the same query may be answered a little later.
func (e *Error) busy() bool {
	return e.Kind == KindThrottled || e.Kind == KindServerError && e.status == 503
}

// unparsed reports whether the server does not understand the query at all, so
// that no part of it will fare better.
func (e *Error) unparsed() bool {
	return e.status == 400 || strings.Contains(e.Message, "unknown function") || strings.Contains(e.Message, "parse")
}

// retryAfter reads the header of that name in seconds; 0 where it is a date or
// nothing.
func retryAfter(header string) time.Duration {
	seconds, err := strconv.Atoi(header)
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 3600)) * time.Second
}
