package audit

import (
	"fmt"
	"slices"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Entry is what the search for the dependencies of a template came to.
type Entry struct {
	Found int // combinations of label values
	Limit int // how many of them are audited at most
}

// AssessEntry stands for a template among the dependencies when something is
// wrong with its search: it failed, found nothing, or found more than the limit.
func AssessEntry(t config.Template, at time.Time, e Entry, failure *Failure) *Assessment {
	dep := t.Dependency
	dep.Connect = nil
	a := &Assessment{Dependency: &dep, At: at, Entry: &e, Policy: declaredPolicy(dep.Policy)}
	a.Effective = a.Policy.Effective()
	a.WorstCase = a.Effective.Requests()
	a.Correlation = Correlation{Value: dep.Correlation.Value, Source: SourceDefault}
	if failure != nil {
		a.Status, a.Detail, a.Queries = failure.Status, failure.Message, slices.Clone(failure.Queries)
		if failure.Reason != "" {
			a.Reasons = []latency.Reason{failure.Reason}
		}
		return a
	}
	a.Status = latency.StatusUncertain
	a.Detail = fmt.Sprintf("%d dependencies were found and max_dependencies is %d: nothing is known of the other %d", e.Found, e.Limit, e.Found-e.Limit)
	return a
}
