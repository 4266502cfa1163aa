package agent

import (
	"context"
	"time"

	"github.com/timeout-auditor/timeout-auditor/report"
)

// replaySteps is how many moments of the past a restarted auditor looks at.
const replaySteps = 4

// replay rebuilds what cycles before a restart would have remembered: it audits
// the past hold_for in a few steps, oldest first, as if it had been running.
// What the data do not decide now then holds the verdict they decided before,
// and a dependency that vanished keeps its finding. It returns the reports of
// the steps, or none, to be tried again, when the server answers nothing.
func (s *setup) replay(ctx context.Context, now time.Time) (past []*report.Report) {
	var previous *report.Report
	for step := replaySteps; step > 0; step-- {
		at := now.Add(-s.config.HoldFor * time.Duration(step) / replaySteps)
		previous = Cycle(ctx, s.config, s.observer, Moment{At: at, Previous: previous})
		if ctx.Err() != nil || previous.Result() == report.Failure {
			return nil
		}
		past = append(past, previous)
	}
	return past
}
