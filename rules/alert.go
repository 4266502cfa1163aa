package rules

import (
	"fmt"
	"time"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

// Alert is an alerting rule.
type Alert = rulefile.Rule

// heldFor is how long an alert that fires outlives the auditor's own silence:
// the auditor's hold_for default, restated for a Prometheus that no longer
// hears it. After that TimeoutAuditorAbsent speaks alone.
const heldFor = "1h"

// alertLabels are kept on an alert about a dependency; instance and pod are
// not, so that two replicas page once.
const alertLabels = "dependency, chain, caller, callee, owner, severity"

// hold keeps an alert as it was while no auditor has had an answer from
// Prometheus since it started, or none is heard at all: silence neither fires
// nor resolves. Prometheus's own ALERTS series is the memory, since only that
// knows what fired at the last moment the auditor could speak.
func hold(alert, expr string) string {
	return fmt.Sprintf(`%[1]s
or
(
  ALERTS{alertname="%[2]s", alertstate="firing"}
  unless on () %[3]s > 0
) and on () max_over_time(%[3]s[%[4]s]) > 0`, expr, alert, metric.LastSuccess, heldFor)
}

// alert is the rule's alert: it fires while its finding stands.
func (r Rule) alert(o AlertOptions) Alert {
	finding := fmt.Sprintf(`%s{rule="%s"} == 1`, metric.Finding, r.Code)
	annotations := map[string]string{
		"summary":     fmt.Sprintf("{{ $labels.%s }}: %s", r.About(), r.Title),
		"description": r.description,
		"runbook_url": o.Runbooks + r.Code + ".md",
	}
	if o.Pages != "" {
		annotations["page_url"] = o.Pages + pageOf(r.About())
	}
	return Alert{
		Alert:       r.Alert(),
		Expr:        fmt.Sprintf("max by (%s) (\n%s\n)\n", alertLabels, indent(hold(r.Alert(), finding))),
		For:         model.Duration(r.For),
		Annotations: annotations,
	}
}

// pageOf is the path of the auditor's own page about a dependency or a chain,
// as a Prometheus template: names may hold anything.
func pageOf(label string) string {
	directory := map[string]string{"dependency": "dependencies", "chain": "chains"}[label]
	return fmt.Sprintf("/%s/?name={{ $labels.%s | urlquery }}", directory, label)
}

// AlertOptions are what generated alerts depend on beside the findings.
type AlertOptions struct {
	Runbooks   string        // URL prefix of the runbook pages, ending in a slash
	Pages      string        // URL of the auditor, without a slash at its end; empty: alerts do not link to its pages
	StaleAfter time.Duration // after which a missing success is an alert
	Format     rulefile.Format
}

// Names of the alerts about the auditor that it can tell by itself.
const (
	Stale              = "TimeoutAuditorStale"
	ConfigReloadFailed = "TimeoutAuditorConfigReloadFailed"
)

// AboutItself returns the alerts that the auditor can tell of itself, by name:
// their words hold no templates.
func AboutItself(o AlertOptions) map[string]Alert {
	alerts := map[string]Alert{}
	for _, a := range selfAlerts(o) {
		if a.Alert == Stale || a.Alert == ConfigReloadFailed {
			alerts[a.Alert] = a
		}
	}
	return alerts
}

// selfAlerts are about the auditor: its silence and its failures.
func selfAlerts(o AlertOptions) []Alert {
	alert := func(name, expr, severity string, wait time.Duration, annotations ...string) Alert {
		if name != "TimeoutAuditorAbsent" {
			expr = "max(\n" + indent(hold(name, expr)) + "\n)\n"
		}
		return Alert{
			Alert: name, Expr: expr, For: model.Duration(wait),
			Labels: map[string]string{"severity": severity},
			Annotations: map[string]string{
				"summary":     annotations[0],
				"description": annotations[1],
				"runbook_url": o.Runbooks + annotations[2] + ".md",
			},
		}
	}
	return []Alert{
		alert("TimeoutAuditorAbsent", "absent("+metric.BuildInfo+")\n", "critical", 10*time.Minute,
			"No timeout-auditor is scraped.",
			"Prometheus has no sample of timeout-auditor. Timeouts are not audited; what fired before is held for "+heldFor+".",
			"timeout-auditor-absent"),
		alert(Stale,
			fmt.Sprintf("time() - max(%s) > %g", metric.LastSuccess, o.StaleAfter.Seconds()), "warning", 5*time.Minute,
			"timeout-auditor gets no answers from Prometheus.",
			fmt.Sprintf("No cycle has had an answer for longer than %s. Figures are withheld, findings are held up to hold_for.", model.Duration(o.StaleAfter)),
			"timeout-auditor-stale"),
		alert("TimeoutAuditorQueriesFailing",
			fmt.Sprintf(`sum(rate(%[1]s{result!~"success|canceled"}[15m])) / sum(rate(%[1]s[15m])) > 0.05`, metric.Queries), "warning", 15*time.Minute,
			"{{ $value | humanizePercentage }} of timeout-auditor's queries fail.",
			"{{ $value | humanizePercentage }} of the queries to Prometheus failed over 15 minutes. The label result of "+metric.Queries+" says how, the auditor's log says which.",
			"timeout-auditor-queries-failing"),
		alert(ConfigReloadFailed,
			metric.ConfigReloadSuccessful+" == 0", "warning", 5*time.Minute,
			"timeout-auditor runs on an old configuration.",
			"The last reload failed and the configuration before it is still in force. The auditor's log names the file, the line and what would be right.",
			"timeout-auditor-config-reload-failed"),
		alert("TimeoutAuditorNotificationsFailing", notificationsFailing(), "warning", 15*time.Minute,
			"Findings that timeout-auditor pushes do not all reach an Alertmanager.",
			"More than 5% of the pushes to an Alertmanager failed over 15 minutes, or it rejects an alert. The labels alertmanager and result of "+metric.Notifications+" say which and how, the auditor's log says why.",
			"timeout-auditor-notifications-failing"),
	}
}

// notificationsFailing holds when one Alertmanager of several misses pushes, or
// rejects a single alert of many: that one may be the page.
func notificationsFailing() string {
	sum := func(matchers string) string {
		return fmt.Sprintf("sum by (alertmanager) (rate(%s%s[15m]))", metric.Notifications, matchers)
	}
	return sum(`{result=~"failed|dropped"}`) + " / " + sum("") + " > 0.05\nor\n" + sum(`{result="rejected"}`) + " > 0"
}
