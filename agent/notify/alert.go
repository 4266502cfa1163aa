package notify

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

// Alert is what Alertmanager's API v2 takes.
type Alert struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL,omitempty"`

	key      string // of the labels: Alertmanager's idea of one alert
	resolved bool
	severity rules.Severity
}

// links are the addresses that an alert leads to.
type links struct {
	external string // of the auditor's pages, without a slash at the end; "": none
	runbooks string // prefix of the runbook pages
}

// newAlert is the alert of a finding, with the labels of the rule's own alert.
// It has no end yet.
func newAlert(f rules.Finding, rule rules.Rule, external map[string]string, l links) Alert {
	labels := labelled(map[string]string{
		"alertname": rule.Alert(), "severity": string(f.Severity),
		"dependency": f.Dependency, "chain": f.Chain, "caller": f.Caller, "callee": f.Callee, "owner": f.Owner,
	}, external)
	return Alert{
		Labels: labels,
		Annotations: map[string]string{
			"summary":     subject(f) + ": " + rule.Title,
			"description": describe(f),
			"runbook_url": l.runbooks + rule.Code + ".md",
		},
		StartsAt:     wall(f.Since),
		GeneratorURL: l.page(f),
		key:          keyOf(labels),
		severity:     f.Severity,
	}
}

// labelled is what tells an alert from others: its own labels, and those
// external ones that it does not have. An empty label is none.
func labelled(own, external map[string]string) map[string]string {
	labels := map[string]string{}
	for _, some := range []map[string]string{external, own} {
		for name, value := range some {
			if value != "" {
				labels[name] = value
			}
		}
	}
	return labels
}

// keyOf tells label sets apart.
func keyOf(labels map[string]string) string {
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		fmt.Fprintf(&key, "%q=%q,", name, labels[name])
	}
	return key.String()
}

// firing is the alert as it is sent at now while its finding stands.
func (a Alert) firing(now, until time.Time) Alert {
	a.StartsAt, a.EndsAt, a.resolved = earlier(a.StartsAt, wall(now)), wall(until), false
	return a
}

// cleared is the alert as it is sent once its finding is gone.
func (a Alert) cleared(now time.Time) Alert {
	a.EndsAt, a.resolved = wall(now), true
	a.StartsAt = earlier(a.StartsAt, a.EndsAt)
	return a
}

// wall is the time that others read. Without this, two times of one process
// compare by how long it has run, also after its clock was set back.
func wall(t time.Time) time.Time { return t.Round(0).UTC() }

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func subject(f rules.Finding) string {
	if f.Chain != "" {
		return f.Chain
	}
	return f.Dependency
}

// describe is what is wrong, how sure that still is, and what to do.
func describe(f rules.Finding) string {
	var text strings.Builder
	text.WriteString(sentence(f.Message))
	decided := f.Decided.UTC().Format(time.RFC3339)
	switch f.Held {
	case rules.HeldUncertain:
		fmt.Fprintf(&text, " Held: since %s the data do not decide.", decided)
	case rules.HeldUnknown:
		fmt.Fprintf(&text, " Held: nothing has been known since %s.", decided)
	case rules.NotHeld:
	}
	if f.Advice != "" {
		text.WriteString(" What to do: " + sentence(f.Advice))
	}
	return text.String()
}

// sentence ends a text with a full stop.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// page is the auditor's own page about the finding.
func (l links) page(f rules.Finding) string {
	switch {
	case l.external == "":
		return ""
	case f.Chain != "":
		return l.external + "/chains/" + url.PathEscape(f.Chain)
	}
	return l.external + "/dependencies/" + url.PathEscape(f.Dependency)
}
