package notify

import (
	"path"
	"time"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

// Trouble is what the auditor has to say about itself: without alerting rules
// nobody else does.
type Trouble struct {
	Alert string    // rules.Stale or rules.ConfigReloadFailed
	Since time.Time // when it began
}

// newTrouble is the alert about the auditor itself, with the labels and words of
// its rule.
func newTrouble(t Trouble, rule rules.Alert, external map[string]string, l links) Alert {
	labels := labelled(map[string]string{"alertname": rule.Alert, "severity": rule.Labels["severity"]}, external)
	annotations := map[string]string{"runbook_url": l.runbooks + path.Base(rule.Annotations["runbook_url"])}
	for _, name := range []string{"summary", "description"} {
		annotations[name] = rule.Annotations[name]
	}
	page := ""
	if l.external != "" {
		page = l.external + "/"
	}
	return Alert{
		Labels: labels, Annotations: annotations, StartsAt: wall(t.Since), GeneratorURL: page,
		key: keyOf(labels), severity: rules.Severity(rule.Labels["severity"]),
	}
}
