package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

const (
	pageAlert  = "TimeoutBelowP99"
	pagedFor   = "checkout-payments" // its timeout is too short,
	quietAbout = "search-index"      // this one's is comfortable,
	silentOn   = "reports-warehouse" // and of this one nobody can know

	lookAgain   = 2 * time.Second  // between two looks at the auditor's report
	reportEvery = 15 * time.Second // at most so often it is printed
)

// watch follows what happens once everything runs.
type watch struct {
	*stack
	options

	pages    map[string]bool // dependencies that pageAlert fires for
	document report.Document // the newest report
	printed  string          // the state that was printed last,
	at       time.Time       // when,
	standing []finding       // and with which findings
}

// run prints reports and alerts until ctx ends, which is no error, or with
// --once until the page has arrived. That a server has ended is an error.
func (w *watch) run(ctx context.Context) error {
	w.welcome()
	var giveUp <-chan time.Time
	if w.once {
		limit := time.NewTimer(w.giveUpAfter)
		defer limit.Stop()
		giveUp = limit.C
	}
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			if w.once {
				return ctx.Err()
			}
			return nil
		case <-giveUp:
			return w.gaveUp()
		case <-w.prometheus.Exited():
			return fmt.Errorf("prometheus ended; its log ends:\n%s", w.prometheus.Log())
		case <-w.alertmanager.Exited():
			return fmt.Errorf("alertmanager ended; its log ends:\n%s", w.alertmanager.Log())
		case <-w.daemon.exited:
			return fmt.Errorf("the auditor: %w; its log ends:\n%s", w.daemon.exitError(), w.daemon.log())
		case a := <-w.receiver.alerts:
			err = w.arrived(ctx, a)
		case <-tick.C:
			err = w.look(ctx)
		}
		switch {
		case ctx.Err() != nil: // what was under way failed for that
		case err != nil:
			return err
		case w.once && w.complete():
			return w.finish(ctx)
		}
	}
}

// finish ends a demo that has shown what it should.
func (w *watch) finish(ctx context.Context) error {
	w.out.say("\nThe page has arrived, and %s is known as fine.", quietAbout)
	if err := w.print(ctx); err != nil || w.screenshots == "" {
		return err
	}
	return w.takePictures(ctx)
}

func (w *watch) welcome() {
	w.out.say("   status page  %s", w.daemon.url)
	w.out.say("   report       %s/api/v1/report", w.daemon.url)
	w.out.say("   metrics      %s/metrics", w.daemon.url)
	w.out.say("\nNow the window fills. The report follows each time that something changes, without the remarks\n" +
		"that the command prints below it.")
	if !w.once {
		w.out.say("Ctrl-C ends everything and removes %s.", w.dir)
	}
}

// complete reports whether --once has seen what it waits for: the page, and
// that the comfortable dependency is known to be fine.
func (w *watch) complete() bool {
	if !w.pages[pagedFor] || w.screenshots != "" && time.Since(w.out.started) < ripe {
		return false
	}
	i := slices.IndexFunc(w.document.Dependencies, func(d report.DependencyDocument) bool { return d.Dependency == quietAbout })
	if i < 0 {
		return false
	}
	quiet := w.document.Dependencies[i]
	return quiet.Status == latency.StatusOK && !slices.ContainsFunc(quiet.Findings, func(f report.FindingDocument) bool {
		return f.Severity.AtLeast(rules.Warning)
	})
}

func (w *watch) gaveUp() error {
	waited := fmt.Sprintf("%s for %s", pageAlert, pagedFor)
	if w.pages[pagedFor] {
		waited = fmt.Sprintf("%s to be known as fine", quietAbout)
	}
	return fmt.Errorf("gave up after %s of waiting for %s; the auditor's log ends:\n%s", w.giveUpAfter, waited, w.daemon.log())
}

// look asks for the report and prints it when its state has changed.
func (w *watch) look(ctx context.Context) error {
	document, err := w.daemon.report(ctx)
	if errors.Is(err, errNoReport) {
		return nil
	}
	if err != nil {
		return err
	}
	w.document = document
	if state := stateOf(document); state != w.printed && time.Since(w.at) >= reportEvery {
		w.printed, w.at = state, time.Now()
		return w.print(ctx)
	}
	return nil
}

// stateOf is what has to change before a report is worth another look: not the
// figures, which always do.
func stateOf(d report.Document) string {
	var state strings.Builder
	for _, dependency := range d.Dependencies {
		fmt.Fprintln(&state, dependency.Dependency, dependency.Status)
	}
	for _, f := range findingsOf(d) {
		fmt.Fprintln(&state, f.key())
	}
	return state.String()
}

// print prints the table of the command line and, below it, the findings that
// came and went. Those are the daemon's, which remembers.
func (w *watch) print(ctx context.Context) error {
	text, err := w.product.audit(ctx)
	if err != nil {
		return err
	}
	table, _, _ := strings.Cut(text, "\n\n")
	w.out.say("\n%s $ timeout-auditor audit --config.file=config.yaml", w.out.clock())
	w.out.say("%s", strings.TrimRight(table, "\n"))
	for _, line := range changes(w.standing, findingsOf(w.document)) {
		w.out.say("   %s", line)
	}
	w.standing = findingsOf(w.document)
	return nil
}
