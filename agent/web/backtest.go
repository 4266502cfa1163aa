package web

import (
	"context"
	"maps"
	"net/url"
	"time"

	"github.com/timeout-auditor/timeout-auditor/report"
)

// backtestParameter asks for the section on the past: it reads a week.
const backtestParameter = "backtest"

// longPatience is how long a page waits for what somebody asked it for.
const longPatience = 25 * time.Second

// backtestView is the section on the past, the link that asks for it, or why
// there is none.
type backtestView struct {
	Link    string
	Missing string
	Past    *report.Backtests
	report.DependencyBacktest
}

// backtestOf is nil where the past cannot be asked.
func (s *site) backtestOf(ctx context.Context, name string, v url.Values) *backtestView {
	if s.Backtest == nil {
		return nil
	}
	if !v.Has(backtestParameter) {
		asked := maps.Clone(v)
		asked.Set(backtestParameter, "")
		return &backtestView{Link: "?" + asked.Encode() + "#backtest"}
	}
	past, err := s.Backtest(ctx, name)
	switch {
	case err != nil:
		return &backtestView{Missing: err.Error()}
	case len(past.Dependencies) == 0:
		return &backtestView{Missing: "nothing was asked about this dependency"}
	}
	return &backtestView{Past: past, DependencyBacktest: past.Dependencies[0]}
}
