package agent

import (
	"github.com/timeout-auditor/timeout-auditor/agent/notify"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// troubles are what is wrong with the auditor itself at a report's moment, told
// as the generated rules would tell it.
func (a *Agent) troubles(r *report.Report) []notify.Trouble {
	var all []notify.Trouble
	if r.Result() != report.Failure || a.answered.IsZero() { // a first report counts as the start
		a.answered = r.At
	}
	if stale := a.answered.Add(r.StaleAfter); r.At.After(stale) {
		all = append(all, notify.Trouble{Alert: rules.Stale, Since: stale})
	}
	a.reloading.Lock()
	defer a.reloading.Unlock()
	if a.refused != "" {
		all = append(all, notify.Trouble{Alert: rules.ConfigReloadFailed, Since: a.refusedAt})
	}
	return all
}
