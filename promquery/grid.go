package promquery

import (
	"time"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// grid is the moments of a range query: n of them, step apart, the last one at
// the end. All are whole milliseconds, as the API has them.
type grid struct {
	end  time.Time
	step time.Duration
	n    int
}

// windowGrid covers two windows that end at the given moment, k parts each.
func windowGrid(at time.Time, window time.Duration, k int) grid {
	step := (window / time.Duration(k)).Truncate(time.Millisecond)
	return grid{end: at, step: step, n: 2 * k}
}

// ask makes a range query of an expression.
func (g grid) ask(q latency.Query) latency.Query {
	q.Start, q.End, q.Step = g.time(0), g.end, g.step
	return q
}

func (g grid) time(i int) time.Time {
	return g.end.Add(-time.Duration(g.n-1-i) * g.step)
}

// index returns which moment a timestamp belongs to. Query frontends may move
// the moments of a range query down to whole multiples of the step, so one that
// is less than a step early still counts.
func (g grid) index(ts model.Time) (int, bool) {
	early := g.end.Sub(ts.Time())
	if early < 0 {
		return 0, false
	}
	i := g.n - 1 - int(early/g.step)
	return i, i >= 0
}
