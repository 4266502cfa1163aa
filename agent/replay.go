package agent

import (
	"context"
	"time"

	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// replaySteps is how many moments of the past a restarted auditor looks at.
const replaySteps = 4

// replay rebuilds what cycles before a restart would have remembered: it audits
// the past hold_for in a few steps, oldest first, as if it had been running.
// What the data do not decide now then holds the verdict they decided before,
// and a dependency that vanished keeps its finding. It returns the last report
// and what each step found, since reports are large; or none, to be tried again,
// when the server answers nothing.
func (s *setup) replay(ctx context.Context, now time.Time) (previous *report.Report, found [][]rules.Finding) {
	for step := replaySteps; step > 0; step-- {
		at := now.Add(-s.config.HoldFor * time.Duration(step) / replaySteps)
		previous = Cycle(ctx, s.config, s.observer, Moment{At: at, Previous: previous})
		if ctx.Err() != nil || previous.Result() == report.Failure {
			return nil, nil
		}
		found = append(found, previous.Findings)
	}
	return previous, found
}
