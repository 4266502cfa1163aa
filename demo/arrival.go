package main

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

// arrived takes an alert that Alertmanager sent. A page that can not be right is
// an error with --once. One for another shape can be: on a machine that is too
// busy its latency really rises.
func (w *watch) arrived(ctx context.Context, a alert) error {
	if !a.firing() {
		w.out.say("\n%s <<< resolved: %s %s", w.out.clock(), a.name(), a.dependency())
		return nil
	}
	page := a.Labels["severity"] == "critical"
	w.out.say("\n%s >>> %s: %s", w.out.clock(), map[bool]string{true: "PAGE", false: "alert"}[page], a.name())
	w.out.say("    %s", labelLine(a.Labels))
	w.out.say("    %s", a.Annotations["description"])
	if advice := w.advice(ctx, a); advice != "" {
		w.out.say("    do: %s", advice)
	}
	if page {
		runbook := a.Annotations["runbook_url"]
		w.out.say("    runbook: %s (here: docs/runbooks/%s)", runbook, path.Base(runbook))
		if !w.once { // then the binary is gone in a moment
			w.out.say("    look closer: %s explain --config.file=%s %s", w.product.binary, w.product.config, a.dependency())
		}
	}
	if a.name() != pageAlert {
		return nil
	}
	w.pages[a.dependency()] = true
	if w.once && (a.dependency() == quietAbout || a.dependency() == silentOn) {
		return fmt.Errorf("%s arrived for %s, which is not known to be too short; the auditor's log ends:\n%s",
			pageAlert, a.dependency(), w.daemon.log())
	}
	return nil
}

// labelLine shows who is concerned.
func labelLine(labels map[string]string) string {
	var words []string
	for _, name := range []string{"severity", "dependency", "caller", "callee", "owner"} {
		if value := labels[name]; value != "" {
			words = append(words, name+"="+value)
		}
	}
	return strings.Join(words, " ")
}

// advice is what the auditor's report says to do about an alert's finding.
func (w *watch) advice(ctx context.Context, a alert) string {
	document, err := w.daemon.report(ctx)
	if err != nil {
		return "" // the alert stands on its own
	}
	for _, rule := range rules.Table() {
		if rule.Alert() != a.name() {
			continue
		}
		for _, d := range document.Dependencies {
			for _, f := range d.Findings {
				if d.Dependency == a.dependency() && f.Rule == rule.Code {
					return f.Advice
				}
			}
		}
	}
	return ""
}
